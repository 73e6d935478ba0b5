"""The pictures of README and docs, from the page of a run: `python docs/make_pictures.py runs/before` (the first run of TUTORIAL.md). Needs Chromium."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

PICTURES = Path(__file__).parent / "pictures"
SIZES = {"report": (1070, "body"), "cards": (620, "#cards")}  # height, and what stands at the top


def main(run: str) -> None:
    """Write the pictures."""
    report = Path(run).resolve() / "report"
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for argument in ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--force-color-profile=srgb"):
        options.add_argument(argument)
    browser = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    try:
        browser.get((report / "index.html").as_uri())
        for name, (height, top) in SIZES.items():
            browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": 1100, "height": height, "deviceScaleFactor": 1, "mobile": False})
            browser.execute_script("document.documentElement.style.scrollBehavior = 'auto'; document.querySelector(arguments[0]).scrollIntoView()", top)
            browser.save_screenshot(str(PICTURES / f"{name}.png"))
    finally:
        browser.quit()
    shutil.copy(report / "figures" / "naive.png", PICTURES / "naive.png")


if __name__ == "__main__":
    main(sys.argv[1])
