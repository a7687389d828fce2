"""axe-core's findings about a page: accessibility as far as a program sees it (WCAG 2.2 AA)."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from playwright.async_api import Page

SOURCE = Path(__file__).parents[2] / "web/node_modules/axe-core/axe.min.js"
SERIOUS = frozenset({"serious", "critical"})

_RUN = """() => axe.run(document, {
    runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    resultTypes: ["violations"],
}).then(({ violations }) => violations.map(({ id, impact, help, nodes }) => ({
    id, impact, help,
    where: nodes.map(({ target, failureSummary }) => [target.join(" "), failureSummary]),
})))"""


@cache
def _source() -> str:
    assert SOURCE.is_file(), "axe-core is not installed: run `make js`"
    return SOURCE.read_text()


async def serious(page: Page) -> list[dict[str, Any]]:
    """What axe calls serious or critical in what the page shows now."""
    if not await page.evaluate("'axe' in window"):
        await page.evaluate(_source())
    found: list[dict[str, Any]] = await page.evaluate(_RUN)
    return [one for one in found if one["impact"] in SERIOUS]
