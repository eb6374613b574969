"""What operators read when PostgreSQL, OpenSearch or Redis do not do what they should, and what to do next."""

from collections.abc import Callable, Mapping

Details = Mapping[str, object]
Sentences = dict[str, Callable[[Details], str]]


def _because(details: Details) -> str:
    return f" ({details['reason']})" if details.get("reason") else ""


def _again(what: str) -> Callable[[Details], str]:
    return lambda d: f"{what}{_because(d)}. Try again in a moment; if it stays like this, look at that server."


_OPENSEARCH: Sentences = {
    "aws_credentials": lambda d: (
        f"No AWS credentials were found to sign requests with{_because(d)}. Give the process a role or a profile, or "
        "remove ADPOLICY_OPENSEARCH_AWS_REGION."
    ),
    "ca_file_unreadable": lambda d: (
        f"The certificates in {d['path']} cannot be read. Correct ADPOLICY_OPENSEARCH_CA_FILE: a PEM file."
    ),
    "index_certificate": lambda d: (
        f"OpenSearch shows a certificate that is not trusted{_because(d)}. Name the authority that signed it in "
        "ADPOLICY_OPENSEARCH_CA_FILE."
    ),
    "index_login": lambda _: (
        "OpenSearch refuses this user. Check ADPOLICY_OPENSEARCH_USERNAME and ADPOLICY_OPENSEARCH_PASSWORD, and what "
        "the user may do with indexes, aliases and search pipelines."
    ),
    "index_name_taken": lambda d: (
        f"OpenSearch has an index where the alias {d.get('name', '')} belongs. Remove that index, or choose another "
        "ADPOLICY_OPENSEARCH_INDEX."
    ),
    "index_prefix_invalid": lambda d: (
        f"ADPOLICY_OPENSEARCH_INDEX cannot be {d.get('prefix', '')}. Use lower-case letters, digits, - and _."
    ),
    "opensearch_url_invalid": lambda d: (
        f"Address {d.get('position', 1)} in ADPOLICY_OPENSEARCH_URL cannot be read. Write it like "
        "https://host:9200, several of one cluster comma-separated."
    ),
    "index_down": _again("OpenSearch does not answer"),
    "index_overloaded": _again("OpenSearch has more to do than it can take"),
    "index_missing": lambda _: (
        "There is no search index. A running server builds it from the store; without one, run `python -m ops reindex`."
    ),
    "index_outdated": lambda _: (
        "The index was made by another version, or for another embedding model. A running server builds it anew; "
        "without one, run `python -m ops reindex`."
    ),
}

_REDIS: Sentences = {
    "redis_url_invalid": lambda d: (
        f"{d['setting']} is no address of a Redis. Write it like redis://host:6379/0, rediss://... with TLS, or "
        "redis+sentinel://host:26379,host/name/0."
    ),
    "redis_prefix_invalid": lambda d: (
        f"{d['setting']} cannot be {d['value']}. Use at most 64 letters, digits and _ . : / -."
    ),
    "redis_refused": lambda d: f"Redis refuses this user. Check user and password in {d['setting']}.",
    "redis_tls_untrusted": lambda d: (
        f"Redis shows a certificate that is not trusted. Add ?ssl_ca_certs=/path/to/ca.pem to {d['setting']}."
    ),
    "redis_cluster_unsupported": lambda d: (
        f"{d['setting']} leads to a Redis Cluster. Give one server, or several behind Sentinel."
    ),
    "redis_down": _again("Redis does not answer"),
    "redis_busy": _again("All connections to Redis are in use"),
    "redis_full": lambda _: "Redis has no room left. Give it more memory, or let it drop what was not used for long.",
    "redis_read_only": _again("This Redis takes no writes: it may be a replica, or out of disk"),
    "redis_failed": _again("Redis answered with an error"),
}

_COMMON: Sentences = {
    "circuit_open": lambda d: (
        f"The service {d.get('dependency', '')} failed several times in a row and is left alone for some seconds. Try "
        "again in a moment."
    ),
    "driver_missing": lambda d: (
        f"The driver {d['driver']} is not installed. Install ops/requirements/services.txt, or remove {d['setting']}."
    ),
    "limit_invalid": lambda d: (
        f"{d['setting']} cannot be {d['value']}. Write it like 20/minute or 100/2 hours; empty is no limit."
    ),
    "record_down": lambda _: (
        "The answer could not be recorded, so it was not given. Bring the database back, or make room for what waits "
        "(ADPOLICY_SPOOL_MEGABYTES)."
    ),
    "spool_full": lambda d: (
        f"There is no room left in {d['path']} for what the database could not take. Bring the database back, make "
        "room on the disk, or raise ADPOLICY_SPOOL_MEGABYTES."
    ),
    "spool_unwritable": lambda d: f"The folder {d['path']} cannot be written. Give this user write access.",
    "store_slow": lambda d: (
        f"The database did not answer within {d.get('seconds')} s. Try again in a moment; if it stays like this, look "
        "at that server."
    ),
    "work_busy": lambda d: (
        f"Another process has been at the same work ({d.get('work', '')}) for {d['seconds']} s. Wait until it has "
        "finished, then try again."
    ),
}

SENTENCES = _OPENSEARCH | _REDIS | _COMMON
