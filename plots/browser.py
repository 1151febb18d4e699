"""A headless Chromium that opens the page of `sortlab report`, for saving its figures and for its test."""

import os
import shutil
from contextlib import contextmanager
from pathlib import Path

NAMES = ("chromium", "google-chrome")


class NoBrowser(Exception):
    """No usable browser; the message gives the reason in one line."""


def find_chromium():
    """The path of a Chromium that can be controlled. A snap's can't, and can't read files of others."""
    for name in NAMES:
        path = shutil.which(name)
        if path and "/snap/" in os.path.realpath(path):
            raise NoBrowser(f"{path} is a snap, which can't open this machine's files")
        if path:
            return path
    raise NoBrowser("no chromium here (on Debian: apt-get install chromium)")


@contextmanager
def browser():
    """Yields playwright's browser; raises NoBrowser."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError as error:
        raise NoBrowser(f"{error} (plots/report/browser-requirements.txt)") from error
    path = find_chromium()
    with sync_playwright() as playwright:
        # Chromium's sandbox is not available to root and in many containers. The page is our own file, so it needs
        # none.
        started = playwright.chromium.launch(executable_path=path, chromium_sandbox=False)
        try:
            yield started
        finally:
            started.close()


def open_report(context, path, address=""):
    """A tab of `context` with the page at `path`, all figures drawn; `address`: the view, from # on."""
    tab = context.new_page()
    tab.goto(Path(path).resolve().as_uri() + address)
    tab.wait_for_function("window.sortlabReport !== undefined")
    return tab
