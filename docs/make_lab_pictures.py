"""The pictures of LAB.md, from a lab on the reference set: `python docs/make_lab_pictures.py`. Needs Chromium, and what the tests need."""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
PICTURES = ROOT / "docs" / "pictures"
WIDTH, HEIGHT = 1300, 820


def wait(browser: Any, condition: str) -> None:
    """Wait until something is so in the page."""
    for _ in range(3000):
        if browser.execute_script(f"return {condition}"):
            return
        time.sleep(0.1)
    raise SystemExit(f"it never came to {condition}")


def main() -> None:
    """Write the pictures."""
    from tests.support.browser import opened_chromium
    from tests.support.labs import RunningLab

    with tempfile.TemporaryDirectory() as place, opened_chromium("--force-color-profile=srgb") as browser:
        file = Path(place) / "cards.csv"
        shutil.copy(ROOT / "cards.csv", file)
        lab = RunningLab(file, "--pilot", "tuned")
        try:
            browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": WIDTH, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": False})
            digest = lab.ask("state")["digest"]
            browser.get(f"{lab.address}#{digest}&Thames%20Drowner.cost%3D4")
            browser.execute_script("document.getElementById('find').value = 'Thames'; document.getElementById('find').dispatchEvent(new Event('input'))")
            wait(browser, "document.documentElement.dataset.done === 'true' && document.documentElement.dataset.edits === location.hash")
            browser.execute_script("document.querySelector('.file .detail').textContent = 'my-game'")
            browser.save_screenshot(str(PICTURES / "lab.png"))
            browser.execute_script("document.getElementById('lottery-games').value = '200000'; document.querySelector('[data-part=help]').click()")
            browser.execute_script("document.getElementById('lottery').click()")
            wait(browser, "document.querySelector('.tornado')")
            browser.save_screenshot(str(PICTURES / "lab_help.png"))
        finally:
            lab.end()


if __name__ == "__main__":
    main()
