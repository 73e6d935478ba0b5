#!/bin/sh
# What the tests of the page need besides Python: Chromium with its driver, and axe-core. Each is fetched where that is possible; tests say what is missing.
cd "$(dirname "$0")/../.." || exit 0
if ! command -v chromium >/dev/null || ! command -v chromedriver >/dev/null; then
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        echo "Installing Chromium for the tests of the page …"
        apt-get install -y -qq chromium chromium-driver >/dev/null 2>&1 || { apt-get update -qq && apt-get install -y -qq chromium chromium-driver; } >/dev/null 2>&1
    fi
fi
if [ ! -f .cache/node_modules/axe-core/axe.min.js ] && command -v npm >/dev/null; then
    npm install --silent --no-save --no-audit --no-fund --prefix .cache axe-core@4.14.0 >/dev/null 2>&1
fi
exit 0
