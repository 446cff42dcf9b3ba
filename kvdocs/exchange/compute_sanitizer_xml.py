"""The XML that compute-sanitizer writes with `--xml --save`: one `record` an error, no total and no end mark."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from kvdocs.exchange.compute_sanitizer import Frame, Point, SanitizerError, SanitizerReport, tool_of
from kvdocs.exchange.remark import UnreadableSourceError, lost, unknown

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_TOOL_OF_KIND = {"Synccheck": "synccheck", "Racecheck": "racecheck", "Initcheck": "initcheck"}


def read_xml(text: str) -> SanitizerReport:
    """The records of an XML file; those before the cut when it was cut short."""
    from defusedxml.common import DefusedXmlException
    from defusedxml.ElementTree import ParseError, iterparse

    errors: list[SanitizerError] = []
    remarks = [unknown("how many errors there were in all: the XML holds the printed ones and no total")]
    whole = True
    try:
        for _, element in iterparse(io.BytesIO(text.encode()), events=("end",), forbid_dtd=True):
            if element.tag == "record":
                errors.append(_error(element))
                element.clear()
    except ParseError as error:
        whole = False
        remarks.append(lost(f"the file was cut short or is damaged: {error}", error.position[0]))
    except DefusedXmlException as error:
        raise UnreadableSourceError(f"refused: {error}") from error
    return SanitizerReport(
        source="compute-sanitizer xml",
        errors=tuple(errors),
        remarks=tuple(remarks),
        whole=whole,
    )


def _error(record: Element) -> SanitizerError:
    kind, what = _text(record, "kind"), _text(record, "what/text")
    subtype = _text(record, "what/type")
    title = f"{what} detected. {subtype}" if subtype else what
    details = tuple(f"{key}: {value}" for key in _WHAT if (value := _text(record, f"what/{key}")))
    return SanitizerError(
        tool=_TOOL_OF_KIND.get(kind) or tool_of(title) or kind.lower(),
        title=title,
        severity="warning" if _text(record, "level").lower() == "warning" else "error",
        at=_frame(record.find("where")),
        thread=_point(record.find("who/threadIdx")),
        block=_point(record.find("who/blockIdx")),
        details=details,
        device_frames=_frames(record, "deviceStack"),
        host_frames=_frames(record, "hostStack"),
    )


_WHAT = ("space", "size", "direction", "error", "address", "api", "message", "result")


def _frames(record: Element, stack: str) -> tuple[Frame, ...]:
    return tuple(frame for element in record.findall(f"{stack}/frame") if (frame := _frame(element)) is not None)


def _frame(element: Element | None) -> Frame | None:
    if element is None:
        return None
    line = _text(element, "line")
    return Frame(
        function=_text(element, "func"),
        path=_text(element, "path"),
        line=int(line) if line.isdigit() else None,
        module=_text(element, "module"),
        pc=_text(element, "pc"),
    )


def _point(element: Element | None) -> Point | None:
    if element is None:
        return None
    parts = [_text(element, axis) for axis in "xyz"]
    return (int(parts[0]), int(parts[1]), int(parts[2])) if all(part.isdigit() for part in parts) else None


def _text(element: Element, path: str) -> str:
    found = element.find(path)
    return (found.text or "").strip() if found is not None else ""
