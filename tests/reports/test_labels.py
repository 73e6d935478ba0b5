"""Names in charts: none covers a mark or another name."""

from hypothesis import given
from hypothesis import strategies as st

from terrors.reports.charts.all_charts import all_charts
from terrors.reports.charts.feel import whole_turns
from terrors.reports.charts.labels import Frame, places
from terrors.reports.charts.render import Sheet, style
from terrors.reports.inputs import Material
from tests.support.page_data import made_up
from tests.support.pages import market_of, worlds
from tests.support.places import FROZEN

AREA = Frame(0, 0, 400, 300)
spot = st.tuples(st.floats(0, 400), st.floats(0, 300))


@given(marks=st.lists(spot, max_size=40), named=st.lists(st.tuples(st.floats(0, 400), st.floats(0, 300), st.floats(10, 150)), max_size=8))
def test_names_cover_no_mark_and_no_other_name(marks, named):
    taken = [Frame(x - 5, y - 5, x + 5, y + 5) for x, y in marks]
    found = [spot[0] for spot in places(named, 15, taken, AREA) if spot]
    for number, box in enumerate(found):
        assert box.within(AREA)
        assert not any(box.hits(other) for other in [*taken, *found[:number]])


def test_a_name_with_room_stands_right_beside_its_mark():
    ((box, far),) = (one for one in places([(100, 100, 60)], 15, [Frame(95, 95, 105, 105)], AREA) if one)
    assert 105 < box.left < 112
    assert (box.low + box.high) / 2 == 100
    assert far == 4


def test_without_a_free_place_there_is_no_name():
    assert places([(200, 150, 60)], 15, [AREA], AREA) == [None]


def test_no_text_of_a_chart_covers_a_mark():
    """As drawn: every text's box against every mark's, in the charts that have names inside."""
    charts = all_charts(Material("runs/base", *made_up(worlds(market_of(FROZEN))["ordinary"])))
    for name in ("cost_curve", "naive", "length", "river"):
        for wide in (True, False):
            sheet = Sheet(wide)
            with style():
                charts[name].draw(sheet)
                sheet.figure.canvas.draw()
                axes = sheet.figure.axes[0]
                marks = [line.get_window_extent().padded(-1) for line in axes.lines if line.get_gid()]
                marks += [bar.get_window_extent().padded(-1) for bar in axes.patches if bar.get_gid()]
                if name == "naive":
                    marks += [_at(axes, *point) for point in axes.collections[-1].get_offsets()]
                texts = [text for text in axes.texts if text.get_text()]
                assert marks
                assert [text.get_text() for text in texts if any(text.get_window_extent().overlaps(mark) for mark in marks)] == []


def _at(axes, x, y):
    from matplotlib.transforms import Bbox

    across, up = axes.transData.transform((x, y))
    return Bbox.from_extents(across - 4, up - 4, across + 4, up + 4)


def test_axes_name_whole_turns():
    assert whole_turns(9, 35, wide=True) == list(range(10, 36, 2))
    assert whole_turns(2, 24, wide=False) == [4, 8, 12, 16, 20, 24]
    assert whole_turns(1, 400, wide=True) == [50, 100, 150, 200, 250, 300, 350, 400]
