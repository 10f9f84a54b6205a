"""What notebooks show of a schedule: a page, a picture, or a table. What cannot be drawn is left out."""

from __future__ import annotations

import html as text_of_html
from typing import TYPE_CHECKING, Optional

from ._errors import InputError, LimitError

if TYPE_CHECKING:
    from ._schedule import Schedule

#: Larger schedules are checked and drawn only when they are asked for: schedule.write("x.html").
MOST_TRANSFERS_OF_PAGE = 20_000
MOST_TRANSFERS_OF_PICTURE = 500
HEIGHT = 640
FRAME = ('<iframe title="{title}" srcdoc="{page}" sandbox="allow-scripts" loading="lazy" '
         'style="width: 100%; height: {height}px; border: 1px solid #8888"></iframe>')


def _has_more(schedule: "Schedule", most: int) -> bool:
    """Does it have more transfers than `most`? Reads no more than these."""
    count = 0
    for step in schedule:
        count += len(step)
        if count > most:
            return True
    return False


def html(schedule: "Schedule") -> Optional[str]:
    """The page in a frame, with the report of the checks; without D3, or of a large schedule, a table or a line."""
    title = text_of_html.escape(repr(schedule))
    try:
        if not _has_more(schedule, MOST_TRANSFERS_OF_PAGE):
            page = text_of_html.escape(schedule.emit("html", verify=True))
            return FRAME.format(title=title, page=page, height=HEIGHT)
    except (InputError, LimitError):
        pass
    try:
        return f"<pre>{text_of_html.escape(schedule.table(120))}</pre>"
    except (InputError, LimitError):
        return f"<code>{title}</code>"


def svg(schedule: "Schedule") -> Optional[str]:
    """The picture; None: Graphviz is not there, or the picture would not be readable."""
    try:
        return None if _has_more(schedule, MOST_TRANSFERS_OF_PICTURE) else schedule.emit("svg")
    except (InputError, LimitError):
        return None
