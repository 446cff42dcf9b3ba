"""Result records -> in-toto statements, JUnit XML and KCIDB reports, with what each of them cannot hold.

in-toto: Statement v1 (github.com/in-toto/attestation, spec/v1). KCIDB: the report format 5.3 of kernelci's kcidb-io.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kvdocs.exchange.record_exports import Export
from kvdocs.exchange.remark import Remark, lost, unknown
from kvdocs.kinds.defect import Defect

PREDICATE_TYPE = "urn:kvdocs:evidence:v1"
TEST_RESULT_TYPE = "https://in-toto.io/attestation/test-result/v0.1"
ORIGIN = "kvdocs"
LARGEST_EXCERPT = 16_384
"""KCIDB's limit on a log excerpt, in characters."""


@dataclass(frozen=True, slots=True)
class Executed:
    """A result record (`kvdocs/evidence/v1`) and the text of its output."""

    record: Mapping[str, Any]
    stdout: str = ""
    stderr: str = ""

    @property
    def name(self) -> str:
        """`environment/script/id`, as its folder is named."""
        return "/".join(str(self.record[key]) for key in ("environment", "script", "id"))

    @property
    def tail(self) -> str:
        """The last lines of the error output behind those of the output, within KCIDB's limit."""
        return (self.stdout + self.stderr).replace("\0", "\ufffd")[-LARGEST_EXCERPT:]


def export_intoto(results: Sequence[Executed], *, test_result: bool = False) -> Export:
    """An in-toto Statement v1 for each result, about the source commit and the program, or else about its own log.

    The predicate is the whole record, or with `test_result` that of test-result v0.1, which holds far less.
    """
    remarks: list[Remark] = []
    files = {}
    for result in results:
        subject = _subjects(result.record)
        if not any("gitCommit" in s["digest"] for s in subject):
            remarks.append(unknown(f"{result.name}: the whole hash of the commit, so the statement is not about the source"))
        predicate = _test_result(result.record) if test_result else dict(result.record)
        statement = {"_type": "https://in-toto.io/Statement/v1", "subject": subject, "predicateType": TEST_RESULT_TYPE if test_result else PREDICATE_TYPE, "predicate": predicate}
        files[f"{result.record['id']}.intoto.json"] = json.dumps(statement, ensure_ascii=False, indent=2) + "\n"
    remarks.append(lost("a signature: the statements are not signed"))
    if test_result:
        remarks.append(lost("test-result v0.1 has no place for exit codes, figures, the environment and how many runs there were"))
    return Export(files, tuple(remarks))


def _subjects(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What the statement is about: the commit, the binary, or the logs where neither has a whole hash."""
    source, build = record.get("source") or {}, record.get("build") or {}
    commit = str(source.get("commit") or "")
    subjects = (
        [{"name": f"git+https://github.com/{source['repository']}" if source.get("repository") else "source", "digest": {"gitCommit": commit}}]
        if re.fullmatch(r"[0-9a-f]{40}", commit)
        else []
    )
    subjects += [
        {"name": str(binary["path"]), "digest": {"sha256": binary["sha256"]}} for binary in build.get("binaries") or [] if isinstance(binary, dict) and binary.get("sha256")
    ]
    if not subjects:
        subjects = [{"name": file["path"], "digest": {"sha256": file["sha256"]}} for file in record.get("files") or []]
    return subjects or [{"name": "result.json", "digest": {"sha256": str(record["digest"]).removeprefix("sha256:")}}]


def _test_result(record: Mapping[str, Any]) -> dict[str, Any]:
    word = {"PASS": "PASSED", "DONE": "PASSED", "FAIL": "FAILED"}.get(record["status"], "WARNED")
    script = record["script"]
    configuration = [{"name": script, "digest": {"sha256": _expect_digest(record)}}]
    by = {"passedTests": "PASSED", "warnedTests": "WARNED", "failedTests": "FAILED"}
    return {"result": word, "configuration": configuration, **{key: [script] if word == value else [] for key, value in by.items()}}


def _expect_digest(record: Mapping[str, Any]) -> str:
    """The hash of what ran: of the script, or of what counts as reproduced where the script is not known."""
    invocation = record["invocation"]
    script = invocation.get("script") or {}
    return str(script.get("sha256") or invocation.get("expect_sha256") or str(record["digest"]).removeprefix("sha256:")).removeprefix("sha256:")


def export_junit(results: Sequence[Executed]) -> Export:
    """JUnit XML: a suite for each environment, a case for each result.

    A reproduced defect is a failure, an execution that decided nothing an error, one that could not run is skipped.
    """
    from xml.etree.ElementTree import Element, SubElement, indent, tostring

    root = Element("testsuites", name="kvdocs")
    for environment in dict.fromkeys(str(result.record["environment"]) for result in results):
        cases = [result for result in results if result.record["environment"] == environment]
        tags = [_junit_tag(result.record) for result in cases]
        counts = {"tests": len(cases), "failures": tags.count("failure"), "errors": tags.count("error"), "skipped": tags.count("skipped")}
        suite = SubElement(root, "testsuite", {"name": environment, **{key: str(count) for key, count in counts.items()}})
        for result, tag in zip(cases, tags, strict=True):
            _junit_case(SubElement, suite, result, tag)
    indent(root)
    text = tostring(root, encoding="unicode", xml_declaration=False)
    remarks = (lost("verdicts of several runs together, intervals, machine facts: a case passes, fails, breaks or is skipped"),)
    return Export({"results.junit.xml": f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'}, remarks)


def _junit_tag(record: Mapping[str, Any]) -> str:
    return {"FAIL": "failure", "ERROR": "error", "MISS": "error", "SKIP": "skipped"}.get(record["status"], "")


def _junit_case(sub_element: Any, suite: Any, result: Executed, tag: str) -> None:
    record = result.record
    seconds = (record["end"].get("duration_ns") or 0) / 1e9
    case = sub_element(suite, "testcase", name=f"{record['script']} {record['id']}", classname=f"{record['environment']}.{record['script']}", time=f"{seconds:.3f}")
    properties = sub_element(case, "properties")
    source = record.get("source") or {}
    facts = {"id": record["id"], "verdict": record["judgement"]["verdict"], "exit_code": record["end"].get("exit_code"), "commit": source.get("commit"), "kind": record["kind"]}
    for name, value in [*facts.items(), *(("label", label) for label in record.get("labels") or ())]:
        if value is not None:
            sub_element(properties, "property", name=name, value=_xml(str(value)))
    if tag:
        reasons = "; ".join(record["judgement"]["reasons"]) or str(record["end"]["reason"])
        found = sub_element(case, tag, message=_xml(reasons))
        found.text = _xml(" ".join(map(str, record["invocation"]["argv"])))
    for stream in ("stdout", "stderr"):
        if text := getattr(result, stream):
            sub_element(case, f"system-{stream.removeprefix('std')}").text = _xml(text[-LARGEST_EXCERPT:])


def _xml(text: str) -> str:
    """The text without the characters that XML 1.0 forbids."""
    return re.sub(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", text)


def export_kcidb(results: Sequence[Executed], defects: Iterable[Defect], host: str = "https://github.com") -> Export:
    """A KCIDB 5.3 report: checkouts, builds and tests of the results, defects as issues, and an incident for each verdict.

    An incident says whether the issue was present, so that a clean run is a statement too.
    """
    known = {defect.id: defect for defect in defects}
    report: dict[str, Any] = {"version": {"major": 5, "minor": 3}, "checkouts": [], "builds": [], "tests": [], "issues": [], "incidents": []}
    for result in results:
        checkout, build = _kcidb_source(result.record, host)
        report["checkouts"] += [] if checkout in report["checkouts"] else [checkout]
        report["builds"] += [] if build in report["builds"] else [build]
        report["tests"].append(_kcidb_test(result, build["id"]))
        report["incidents"] += [i for name in result.record["about"] if name in known and (i := _kcidb_incident(result.record, name)) is not None]
    named = dict.fromkeys(name for result in results for name in result.record["about"] if name in known)
    report["issues"] = [_kcidb_issue(known[name]) for name in named]
    text = json.dumps({key: value for key, value in report.items() if value}, ensure_ascii=False, indent=2) + "\n"
    return Export({"kcidb.json": text}, (lost("samples of a measurement, hashes of logs, and what a tool capped: a test has one number at most"),))


def _kcidb_source(record: Mapping[str, Any], host: str) -> tuple[dict[str, Any], dict[str, Any]]:
    source = record.get("source") or {}
    commit, repository = str(source.get("commit") or ""), source.get("repository")
    name = f"{ORIGIN}:{repository or 'unknown'}@{commit or 'unknown'}{'+dirty' if source.get('dirty') else ''}"
    checkout: dict[str, Any] = {"id": name, "origin": ORIGIN, "valid": True, "misc": {"dirty": source.get("dirty"), "diff_sha256": source.get("diff_sha256")}}
    if re.fullmatch(r"[0-9a-f]{40}", commit):
        checkout["git_commit_hash"] = commit
    elif commit:
        checkout["comment"] = f"commit {commit}, of which only the beginning is on record"
    if repository and host.startswith("https://"):
        checkout["git_repository_url"] = f"{host}/{repository}"
    checkout["misc"] = {key: value for key, value in checkout["misc"].items() if value is not None}
    build = {"id": f"{name}#build", "origin": ORIGIN, "checkout_id": name, "misc": {"facts": record.get("build") or {}}}
    return checkout, build


def _kcidb_test(result: Executed, build_id: str) -> dict[str, Any]:
    record = result.record
    path = re.sub(r"[^A-Za-z0-9_-]", "_", str(record["script"]))
    test: dict[str, Any] = {
        "id": f"{ORIGIN}:{record['id']}",
        "origin": ORIGIN,
        "build_id": build_id,
        "path": path,
        "status": record["status"],
        "environment": {"comment": str(record["environment"]), "misc": {"machine": record.get("machine") or {}}},
        "comment": "; ".join(record["judgement"]["reasons"]) or str(record["end"]["reason"]),
        "misc": {
            "kind": record["kind"],
            "verdict": record["judgement"]["verdict"],
            "exit_code": record["end"].get("exit_code"),
            "digest": record["digest"],
            "labels": list(record.get("labels") or ()),
        },
    }
    if record["invocation"].get("started"):
        test["start_time"] = record["invocation"]["started"]
    if record["end"].get("duration_ns") is not None:
        test["duration"] = record["end"]["duration_ns"] / 1e9
    if result.tail:
        test["log_excerpt"] = result.tail
    return test


def _kcidb_issue(defect: Defect) -> dict[str, Any]:
    return {"id": f"{ORIGIN}:{defect.id}", "version": 1, "origin": ORIGIN, "culprit": {"code": True, "tool": False, "harness": False}, "comment": f"{defect.id}: {defect.title}"}


def _kcidb_incident(record: Mapping[str, Any], defect: str) -> dict[str, Any] | None:
    """Whether a defect was present in an execution; nothing where it decided nothing, or where a program of the registry's own was executed."""
    verdict = record["judgement"]["verdict"]
    if record["purpose"] == "kernel" or verdict not in ("reproduced", "not-reproduced"):
        return None
    return {
        "id": f"{ORIGIN}:{record['id']}:{defect}",
        "origin": ORIGIN,
        "issue_id": f"{ORIGIN}:{defect}",
        "issue_version": 1,
        "test_id": f"{ORIGIN}:{record['id']}",
        "present": verdict == "reproduced",
    }
