"""A real browser for the tests of pages: headless Chromium, driven by selenium.

`make test` fetches Chromium and axe-core where it can (get_browser.sh). Without them these tests are left out, loudly; with CI=true they must not be.
"""

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest

from tests.support.places import ROOT

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
DRIVER = shutil.which("chromedriver")
AXE = ROOT / ".cache" / "node_modules" / "axe-core" / "axe.min.js"
CI = os.environ.get("CI") == "true"
LEFT_OUT = "LEFT OUT: the page was not tried in a browser; install chromium and chromium-driver (as root: apt-get install chromium chromium-driver)"
OPTIONS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars",
)  # fmt: skip
NOWHERE = "--host-resolver-rules=MAP * ~NOTFOUND"

NEEDS_BROWSER = [
    pytest.mark.browser,
    pytest.mark.skipif(not (BROWSER and DRIVER) and not CI, reason=LEFT_OUT),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # selenium leaves its sockets to the garbage collector
]


@contextmanager
def opened_chromium(*more: str) -> Iterator[Any]:
    """A browser with a profile of its own; `more`: options."""
    assert BROWSER, LEFT_OUT
    assert DRIVER, LEFT_OUT
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options, profile = webdriver.ChromeOptions(), tempfile.mkdtemp(prefix="terrors-browser-")
    options.binary_location = BROWSER
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    for option in (*OPTIONS, *more, f"--user-data-dir={profile}"):
        options.add_argument(option)
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    driver.execute_cdp_cmd("Network.enable", {})
    yield driver
    driver.quit()
    shutil.rmtree(profile, ignore_errors=True)


class View:
    """A page in the browser, and shorthands for looking at it."""

    def __init__(self, driver: Any, width: int = 1400, theme: str = "light"):
        self.driver = driver
        self.resize(width)
        self.prefer(theme)

    def wait_for(self, selector: str) -> None:
        """Wait until the page has that: on a busy machine `get` has returned before. Asked without a script, which may be off."""
        from selenium.common.exceptions import WebDriverException

        for _ in range(600):
            with suppress(WebDriverException):  # the page before this one, which has gone between the two questions
                root = self.driver.execute_cdp_cmd("DOM.getDocument", {"depth": 0})["root"]["nodeId"]
                if self.driver.execute_cdp_cmd("DOM.querySelector", {"nodeId": root, "selector": selector})["nodeId"]:
                    return
            time.sleep(0.05)
        raise AssertionError(f"the page has no {selector}")

    def resize(self, width: int) -> None:
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})

    def prefer(self, theme: str) -> None:
        features = [{"name": "prefers-color-scheme", "value": theme}, {"name": "prefers-reduced-motion", "value": "reduce"}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": features})

    def run(self, code: str, *arguments: Any) -> Any:
        return self.driver.execute_script(code, *arguments)

    def find(self, selector: str) -> Any:
        return self.driver.find_element("css selector", selector)

    def all(self, selector: str) -> list[Any]:
        return self.driver.find_elements("css selector", selector)

    def texts(self, selector: str) -> list[str]:
        return self.run("return [...document.querySelectorAll(arguments[0])].map(e => e.textContent.trim())", selector)

    def background(self) -> str:
        return self.run("return getComputedStyle(document.body).backgroundColor")

    def complaints(self) -> list[str]:
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def serious(self, **rules: Any) -> list[Any]:
        """What axe-core finds that is serious or worse."""
        if not AXE.exists():
            assert not CI, "axe-core is missing: tests/support/get_browser.sh fetches it with npm"
            pytest.skip("LEFT OUT: the page was not checked with axe-core; tests/support/get_browser.sh fetches it with npm")
        self.run(AXE.read_text(encoding="utf-8"))
        found = self.driver.execute_async_script(
            "const [rules, done] = arguments; axe.run(document, {resultTypes: ['violations'], ...rules}).then(r => done(r.violations.map("
            "v => [v.impact, v.id, v.help, v.nodes.slice(0, 3).map(n => n.html.slice(0, 160))])), e => done(String(e)))",
            rules,
        )
        return [violation for violation in found if violation[0] in ("serious", "critical")]
