"""GitHub's REST interface: one GET at a time, asked again only when the answer may have changed.

Sources: "Best practices for using the REST API" and "Rate limits for the REST API" (docs.github.com):
a conditional request that is answered with 304 does not count against the rate limit;
the limit is told by `x-ratelimit-remaining` and `x-ratelimit-reset`, or by `retry-after`;
a repository that was renamed or moved is answered with 301, 302 or 307.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal
from urllib.parse import urlsplit

from kvdocs import __version__
from kvdocs.cache import Cache

CACHE_NAME = "upstream"
TOKENS = ("GITHUB_TOKEN", "GH_TOKEN", "GH_ENTERPRISE_TOKEN")
"""The environment variables that may hold a token, the first that is set counts."""

API_VERSION = "2022-11-28"


class UnreachableError(Exception):
    """No answer, and none to be expected for the next question either: no network, a time-out, the rate limit, a refused token.

    `reset` is when the rate limit ends, where that is the reason.
    """

    def __init__(self, message: str, reset: datetime | None = None) -> None:
        super().__init__(message)
        self.message, self.reset = message, reset


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: found, missing (404, 410, 422: nothing of that name that may be seen), or failed for this one question.

    `moved` says that the question was redirected. `known` says that the answer is the one of last time (304).
    """

    outcome: Literal["found", "missing", "failed"]
    data: Mapping[str, Any]
    moved: bool = False
    known: bool = False
    reason: str = ""


def api_address(host: str) -> str:
    """The address of the interface at a host of repositories: GitHub's own, or a GitHub Enterprise Server's."""
    parts = urlsplit(host)
    if parts.hostname in ("github.com", "www.github.com"):
        return "https://api.github.com"
    if parts.hostname is not None and parts.hostname.endswith(".ghe.com"):
        return f"https://api.{parts.hostname}"
    return f"{host.rstrip('/')}/api/v3"


def token_from(environment: Mapping[str, str]) -> str | None:
    """The token that the environment holds, or None."""
    return next((environment[name] for name in TOKENS if environment.get(name)), None)


class Client:
    """Asks one host. Answers and their ETags are kept in the cache, cut down to what `keep` takes from them."""

    def __init__(self, address: str, cache: Cache, *, token: str | None = None, timeout: float = 10.0) -> None:
        import requests

        self.address = address.rstrip("/")
        self.timeout = timeout
        self.asked = 0
        self.remaining: int | None = None
        self._cache = cache
        self._known: dict[str, Any] = cache.read(CACHE_NAME) or {}
        self._session = requests.Session()
        self._session.headers.update({"Accept": "application/vnd.github+json, application/json", "X-GitHub-Api-Version": API_VERSION, "User-Agent": f"kvdocs/{__version__}"})
        self._session.trust_env = True
        if token is not None and self._may_have_token():
            self._session.headers["Authorization"] = f"Bearer {token}"

    def _may_have_token(self) -> bool:
        """A token goes over an encrypted connection, or stays on this machine."""
        parts = urlsplit(self.address)
        return parts.scheme == "https" or parts.hostname in ("127.0.0.1", "localhost", "::1")

    def get(self, path: str, keep: tuple[str, ...]) -> Answer:
        """The answer to one question; of its fields those in `keep`. UnreachableError when asking on makes no sense."""
        import requests

        url = self.address + path
        known = self._known.get(url)
        headers = {"If-None-Match": known["etag"]} if known is not None else {}
        self.asked += 1
        try:
            response = self._ask(url, headers)
            data = response.json() if response.content and response.status_code != 304 else {}
        except requests.Timeout:
            raise UnreachableError(f"{self._host} did not answer within {self.timeout:g} s") from None
        except requests.exceptions.JSONDecodeError:
            return Answer("failed", {}, reason="the answer is not JSON")
        except requests.TooManyRedirects:
            return Answer("failed", {}, reason="it is redirected in a circle")
        except requests.RequestException as error:
            raise UnreachableError(f"{self._host} cannot be reached: {_cause(error)}") from None
        return self._judge(url, known, response, data if isinstance(data, dict) else {}, keep)

    def _ask(self, url: str, headers: dict[str, str]) -> Any:
        """The response; one time-out is tried again, since a question asked twice changes nothing."""
        import requests

        try:
            return self._session.get(url, headers=headers, timeout=self.timeout)
        except requests.Timeout:
            return self._session.get(url, headers=headers, timeout=self.timeout)

    def _judge(self, url: str, known: Any, response: Any, data: dict[str, Any], keep: tuple[str, ...]) -> Answer:
        status, headers = response.status_code, response.headers
        self.remaining = int(headers["x-ratelimit-remaining"]) if headers.get("x-ratelimit-remaining", "").isdigit() else self.remaining
        moved = any(r.status_code in (301, 302, 307, 308) for r in response.history)
        if status == 304 and known is not None:
            return Answer("found", known["data"], known["moved"] or moved, known=True)
        if status == 200:
            kept = {name: data.get(name) for name in keep}
            if headers.get("etag"):
                self._known[url] = {"etag": headers["etag"], "data": kept, "moved": moved}
            return Answer("found", kept, moved)
        if status == 429 or (status == 403 and _is_limit(headers, data)):
            reset = _reset(headers)
            raise UnreachableError(f"the rate limit of {self._host} is reached{_until(reset)}", reset)
        if status == 401:
            raise UnreachableError(f"{self._host} refuses the token")
        if status in (404, 410, 422):
            return Answer("missing", {}, reason=f"{self._host} knows nothing of that name, or not for you ({status})")
        return Answer("failed", {}, reason=f"{self._host} answered {status}" + (f": {data['message']}" if isinstance(data.get("message"), str) else ""))

    def save(self) -> None:
        """Keep the answers for next time."""
        self._cache.write(CACHE_NAME, self._known)

    @property
    def _host(self) -> str:
        return urlsplit(self.address).netloc


def _is_limit(headers: Mapping[str, str], data: Mapping[str, Any]) -> bool:
    return headers.get("x-ratelimit-remaining") == "0" or "retry-after" in headers or "rate limit" in str(data.get("message", "")).lower()


def _reset(headers: Mapping[str, str]) -> datetime | None:
    if headers.get("retry-after", "").isdigit():
        return datetime.fromtimestamp(datetime.now(UTC).timestamp() + int(headers["retry-after"]), UTC)
    if headers.get("x-ratelimit-reset", "").isdigit():
        return datetime.fromtimestamp(int(headers["x-ratelimit-reset"]), UTC)
    return None


def _until(reset: datetime | None) -> str:
    return f" until {reset:%Y-%m-%d %H:%M} UTC" if reset is not None else ""


def _cause(error: Exception) -> str:
    """The innermost reason of a failed connection, in its own words."""
    inner: BaseException = error
    while (following := inner.__cause__ or inner.__context__) is not None:
        inner = following
    return getattr(inner, "strerror", None) or str(inner) or os.path.basename(type(inner).__name__)  # noqa: PTH119  # no path
