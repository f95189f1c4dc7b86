"""What an OpenAPI document cannot say: rules across parameters and about what there is. See README.md."""

import json
import os
import re

import schemathesis

# The account that the run itself uses, and one that it may change.
OWN_ACCOUNT = 1
OTHER_ACCOUNT = int(os.environ["PRINTWARDEN_OTHER_ACCOUNT"])

# Requests that fit the document and are refused by a rule that it cannot state: (operations, code, the server's own words).
# A failure is dropped only where every word of the answer belongs to a rule of this operation.
REFUSED_BY_RULE = [
    # Across parameters.
    ("listPrints", "invalid_request", r'is only valid together with "sorting"'),
    ("listPrints|getPrintStats", "invalid_request", r'is before "from_date"'),
    ("listGCodeFiles.*", "invalid_request", r'is only valid together with "(safe_filename|agent_signature)"'),
    ("linkPrinter", "invalid_request", r"only one of name and printer_id"),
    (".*NotificationSetting", "invalid_request", r"must be (email|the name of this setting|[a-z]+)"),
    (".*NotificationSetting", "invalid_request", r"must be an http\(s\) URL|must be .*|is required|Invalid input.*"),
    ("callAgent", "invalid_request", r"is not the name of a function of .*"),
    ("updateCamera|backtestPrint", "invalid_request", r"must end inside of the picture"),
    ("backtestPrint", "invalid_request", r"changes what is seen, or what of it counts: it needs .*"),
    # Sets that are too large, or too alive, to be listed.
    ("listPrints|getPrintStats", "invalid_request", r"must be a time zone of the IANA database.*"),
    ("listPrints|getPrintStats", "invalid_request", r"must not be before 1900"),
    # What a text may hold.
    (".*", "invalid_request", r"must not hold NUL"),
    (".*GCodeF.*", "invalid_request", r"must not hold line breaks, control characters or marks.*|must .*"),
    ("addClient|createOAuthApp|updateOAuthApp", "invalid_request", r"must .*|an? .* must .*"),
    # References in a body: what is not there, or is another's, is a mistake of the caller's.
    ("addPrinterFor|importRecords|issueToken|listTokens", "invalid_request", r"no account has this address"),
    (".*GCodeF.*", "invalid_request", r"there is no such (folder|printer)"),
    (".*GCodeFolder", "invalid_request", r"there is another folder of this name|a folder cannot lie in itself .*"),
    ("issueToken", "invalid_request", r"must be .read., .write. or .read write."),
    ("uploadFromSlicer.*", "invalid_request", r"must .*|folders may lie .*|Stored, but not printed\..*"),
    ("uploadGCodeFile", "conflict", r"Stored, but not printed\..*"),
    ("uploadGCodeFile", "invalid_request", r"needs a file"),
    # Keys that reach for an object's prototype are never taken.
    (".*", "malformed_json", r".*"),
    # A code or secret that was made up has expired.
    ("pollAgentLink", "expired", r".*"),
    ("linkPrinter", "invalid_request", r".*code.*"),
    # Random bytes are no picture.
    ("uploadPic|reportPrinterEvent|predict.*|findFailures", "invalid_image", r".*"),
    # Made-up bytes are not what a record wants.
    ("importBytes", "invalid_request|invalid_image|unsupported_media_type|conflict", r".*"),
    ("uploadTimelapse", "unsupported_media_type", r"The file is no MP4 or QuickTime video\."),
    # An address that was made up leads nowhere, or where the server does not go.
    ("findFailuresAt", "invalid_request|invalid_image|unsupported_media_type|too_large", r".*"),
]

# Requests that break the document and are taken all the same, on purpose: (operations, the words of the failure).
TAKEN_BY_RULE = [
    # What an agent says about its own machine is only shown: what cannot be shown is left out.
    ("announceUnlinkedAgent", r".*"),
    # Who sends again what has come already is told so before anything is read.
    ("importBytes", r".*"),
    # The pattern in the document takes addresses that Schemathesis' notion of "email" does not.
    (".*", r".*'email' format.*"),
]

# Answers of 5xx that are no defect: (operations, status).
UNAVAILABLE_BY_RULE = [
    # Sending is not part of this version; the answer says so.
    ("sendTestNotification", 503),
    # Agents go on asking after a 5xx; a 4xx would end their search for good.
    ("announceUnlinkedAgent", 503),
    # The server of the run has no model for the assistant; the answer says so.
    ("sendChatMessage", 503),
    ("analysePlate", 503),
    ("createPostMortem", 503),
]


def operation_id(case):
    return case.operation.definition.raw.get("operationId", "")


def problem_of(response):
    try:
        return json.loads(response.content)
    except ValueError:
        return {}


def is_refused_by_rule(case, response):
    problem = problem_of(response)
    words = [issue["message"] for issue in problem.get("issues", [])] or [problem.get("detail", "")]
    rules = [
        rule
        for operations, code, rule in REFUSED_BY_RULE
        if re.fullmatch(operations, operation_id(case)) and re.fullmatch(code, str(problem.get("code")))
    ]
    return all(any(re.fullmatch(rule, word, re.DOTALL) for rule in rules) for word in words)


def is_taken_by_rule(case, failure):
    words = f"{failure.title} {failure.message}"
    return any(
        re.fullmatch(operations, operation_id(case)) and re.fullmatch(rule, words, re.DOTALL)
        for operations, rule in TAKEN_BY_RULE
    )


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """False drops a failure."""
    kind = type(failure).__name__
    if kind == "RejectedPositiveData":
        return not is_refused_by_rule(case, response)
    if kind == "AcceptedNegativeData" and response.status_code == 431:
        return False
    if kind == "AcceptedNegativeData":
        return not is_taken_by_rule(case, failure)
    if kind == "ServerError":
        return (operation_id(case), response.status_code) not in UNAVAILABLE_BY_RULE
    return True


@schemathesis.hook
def before_call(context, case, kwargs):
    """The run must not lock itself out."""
    if operation_id(case) == "updateAccount" and (case.path_parameters or {}).get("id") == OWN_ACCOUNT:
        case.path_parameters["id"] = OTHER_ACCOUNT


@schemathesis.check
def status_is_named(ctx, response, case):
    """Every status stands in the document by its number: "default" is for what nobody foresaw."""
    if response.request.method == "OPTIONS":
        return
    named = case.operation.definition.raw.get("responses", {})
    # 431 is of the HTTP parser: no operation sees a request with headers that large.
    known = response.status_code in (405, 431) or str(response.status_code) in named
    assert known, f"{operation_id(case)} answered {response.status_code}, which the document does not name"
