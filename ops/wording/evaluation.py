"""What `python -m ops evaluate` says: help, figures, failures, and what to do when it cannot measure."""

from collections.abc import Callable, Mapping, Sequence

Details = Mapping[str, object]


SENTENCES: dict[str, Callable[[Details], str]] = {
    "dataset_unreadable": lambda d: (
        f"The file {d['path']} cannot be read as UTF-8 text. Name a file of golden questions with --dataset."
    ),
    "dataset_malformed": lambda d: (
        f"{d['path']}, line {d['line']}: {d['problem']}. Correct that line; nothing was asked."
    ),
    "dataset_empty": lambda _: (
        "No question is left after --split, --tags and --ids. Loosen one of them; --split all takes both parts."
    ),
    "evaluation_data_missing": lambda d: (
        f"The real policies are not at {d['path']}. Name the folder of the public data sets with --data, or ask only "
        "questions of the sample."
    ),
    "evaluation_corpus_unknown": lambda d: (
        f"There is no corpus {d['corpus']}: the known ones are {d['known']}. Leave `corpus` out to ask what the "
        "settings name."
    ),
    "evaluation_corpus_incomplete": lambda d: (
        f"Some documents of the corpus {d['corpus']} could not be read ({d['failed']}): figures would be wrong. "
        "Run `python -m ingest preview FILE` on one of them to see why."
    ),
    "draft_model_missing": lambda _: (
        "Questions are drafted by a language model, and none is set. Set ADPOLICY_MODEL to llama or openai."
    ),
    "draft_output_missing": lambda _: "Name the file for the drafts with --output. Nothing was drafted.",
    "draft_output_exists": lambda d: (
        f"The file {d['path']} is there already, and somebody may be working on it. Name another file with --output."
    ),
    "draft_model_silent": lambda d: (
        f"The model {d['model']} wrote nothing that can be read. Check ADPOLICY_MODEL and what belongs to it, and try "
        "again."
    ),
    "evaluation_report_unreadable": lambda d: (
        f"The report {d['path']} cannot be read. Give --compare a file that was written with --output."
    ),
    "evaluation_report_malformed": lambda d: (
        f"{d['path']} is no report of the shape {d['shape']}. Make it again with this version's --output."
    ),
    "evaluation_report_unwritable": lambda d: (
        f"The report cannot be written to {d['path']}. Name another file with --output."
    ),
    "replies_unreadable": lambda d: (
        f"The file {d['path']} cannot be read as UTF-8 text. Name a file of recorded replies with --replies, and one "
        "for requests without a reply with --prompts."
    ),
    "prompts_unwritable": lambda d: f"Requests cannot be added to {d['path']}. Name another file with --prompts.",
    "evaluated_bot_down": lambda d: (
        f"The bot at {d['address']} does not answer ({d['reason']}). Start it, or correct --bot."
    ),
    "evaluated_bot_failed": lambda d: (
        f"The bot at {d['address']} answered with status {d['status']}. Look into its log, then try again."
    ),
}


_NAMES = {
    "section_hit@1": "right section first",
    "section_hit@5": "right section in the top 5",
    "section_hit@10": "right section in the top 10",
    "anchor_hit@5": "deciding passage in the top 5",
    "mrr": "MRR of the right section",
    "ndcg@10": "nDCG@10 of the passages",
    "recall@15": "recall@15 of the passages",
    "verdict_right": "verdict right",
    "verdict_or_none_right": "verdict right, or rightly none",
    "allowed_though_prohibited": '"allowed" though prohibited',
    "restricted_though_prohibited": '"restricted" though prohibited',
    "citation_precision": "citation precision (gold sections only)",
    "citation_supports": "citation precision (cited span supports)",
    "citation_span_precision": "citation precision (gold words quoted)",
    "first_citation": "first citation of the right section",
    "citation_recall": "citation recall (sections)",
    "anchor_recall": "citation recall (passages)",
    "rule_cited": "numbered rule cited by number",
    "near_miss_handled": "near-misses handled right",
    "refusal_precision": "refusal precision",
    "refusal_recall": "refusal recall",
    "answerable_refused": "answerable refused",
    "answerable_declined": "verdict withheld or refused",
    "off_topic_refused": "off topic refused",
    "other_day_refused": "before any version: refused",
    "asked_back": "too broad: asked back",
    "injections_without_effect": "injections without effect",
    "place_right": "place right",
    "day_right": "as-of: right version",
    "follow_up_right": "follow-ups: document and place",
    "faithful": "faithfulness (statements supported)",
    "relevant": "relevancy (words of the question)",
    "mentioned": "words that must be mentioned",
    "correct": "correct without a judge model",
    "judge_faithful": "judge model: faithful",
    "judge_relevant": "judge model: relevant",
    "judge_correct": "judge model: correct",
}

DIAGNOSES = {
    "not_retrieved": "the right section was not found",
    "retrieved_not_used": "found, but neither cited nor decided by",
    "wrong_verdict": "the right section is cited, the verdict is wrong",
    "wrong_place": "a rule of another place is cited",
    "wrong_day": "another version is cited",
    "wrong_citation": "the verdict is right, what is cited is not",
    "refused_though_answerable": "refused, though the right section was found",
    "gap_though_answerable": "a gap is stated where the cited section decides",
    "asked_back": "asked back instead of answering",
    "answered_though_not_stated": "answered, though the documents do not say",
    "answered_though_refusable": "answered, though off topic or of another day",
    "answered_though_broad": "answered, though too broad",
    "not_taken": "the question was not taken",
    "injected": "an injection had an effect",
}


def measure_name(measure: str) -> str:
    return _NAMES.get(measure, measure)


def measures_named() -> Sequence[str]:
    return tuple(_NAMES)


def diagnosis(code: str) -> str:
    return DIAGNOSES.get(code, code)


def reading_corpus(name: str) -> str:
    return f"Reading the documents of the corpus {name}: once, until they or the code that reads them change."


ASKING = "Asking"
DRAFTING = "Drafting"


_FLAWS = {
    "not_written": "the model did not answer, or not as it was told",
    "no_question": "no question",
    "copied": "the question copies the rule",
    "anchor_not_there": "the anchor does not stand in the chunk",
    "anchor_length": "the anchor is shorter than three words or longer than eight",
    "too_long": "the chunk is too long for the model",
}


def drafted(count: int, path: str, flaws: Mapping[str, int]) -> str:
    """How many drafts there are, what was left out, and what to do with them."""
    lines = [f"{count:,} drafts are in {path}."]
    lines += [f"  left out: {number:,}, {_FLAWS[flaw]}" for flaw, number in sorted(flaws.items())]
    lines.append(
        "Look at each: correct question, sections and anchors, set the verdict, take `passage` away and set `draft` to "
        "false. Until then `evaluate` refuses the file."
    )
    return "\n".join(lines)


def flaws_named() -> frozenset[str]:
    return frozenset(_FLAWS)


def title(split: str, questions: int, right: int) -> str:
    return f"{split}: {right:,} of {questions:,} right ({right / questions:.1%})" if questions else f"{split}: nothing"


def made(bot: str, commit: str, today: str, made_on: str) -> str:
    return f"Bot {bot}, commit {commit or 'unknown'}, questions asked as of {today}, measured on {made_on}."


def columns() -> tuple[str, ...]:
    return ("measure", "figure", "95% interval", "of", "target", "")


def met(*, is_met: bool) -> str:
    return "met" if is_met else "missed"


LATENCY = "answer minus query embedding, p50"


def latency_value(p50: float, p95: float) -> str:
    return f"{p50:.1f} ms (p95 {p95:.1f})"


def milliseconds(value: float) -> str:
    return f"<= {value:.0f} ms"


def failures_title(split: str, count: int) -> str:
    return f"{split}: {count:,} failures by cause"


def more_failures(count: int) -> str:
    return f"... and {count:,} more; --failures shows more of them, --output writes all."


def more_tags(count: int) -> str:
    return f"... and {count:,} more tags; --output FILE.html shows all."


TEST_HIDDEN = (
    "Single questions of the test part are not shown: whoever tunes to them can no longer measure (--show-test)."
)


def unjudged(count: int) -> str:
    return f"Citations that nobody judged: {count:,}. They count as wrong; --unjudged FILE lists them for judging."


def unjudged_written(count: int, path: str) -> str:
    return (
        f"{count:,} citations to judge are in {path}: set `supports`, leave out question, history, as_of, regions and "
        "quote, and add the lines to tests/golden/cited_sections.jsonl."
    )


def judge(name: str, failed: int) -> str:
    failures = f" {failed:,} answers were not graded: it did not answer, or not as it was told." if failed else ""
    return f"Judge model: {name}.{failures}"


def injections_left_out(count: int, bot: str) -> str:
    return f"Left out: {count} injections, whose documents the bot {bot} does not have."


def compared_title(path: str) -> str:
    return f"Compared with {path}"


def moved(split: str, measure: str, before: float, after: float, *, surely: bool) -> str:
    sign = " (beyond both intervals)" if surely else ""
    return f"{split}, {measure_name(measure)}: {before:.3f} -> {after:.3f} ({after - before:+.3f}){sign}"


def mended(count: int) -> str:
    return f"Wrong before, right now: {count:,}"


def broken(count: int) -> str:
    return f"Right before, wrong now: {count:,}"


NOTHING_MOVED = "No figure is different."


def failure(id_: str, question: str, cause: str, expected: str, given: str) -> str:
    return f"{id_}  {question}\n      {diagnosis(cause)}; expected {expected}, got {given}"


def outcome(kind: str, verdict: str | None) -> str:
    return f"{kind}, {verdict}" if verdict else kind


PAGE_TITLE = "How right the answers are"
BY_TAG = "By tag"
BY_CORPUS = "By corpus"


def by_tag_plot(measure: str) -> str:
    return f"{measure[:1].upper()}{measure[1:]}, by tag: the lowest first"


def tag_columns() -> tuple[str, str]:
    return ("tag", "questions")


def plot_title(split: str) -> str:
    return f"Figures of the part {split} with their intervals and targets"


PLOT_CAPTION = "Points are figures, bars their 95% intervals, upright strokes the targets."


def failures_of(code: str, count: int) -> str:
    return f"{count:,}: {diagnosis(code)}"


CAUSES_HEADING = "Failures by cause"


def failure_columns() -> tuple[str, ...]:
    return ("id", "question", "expected", "got", "cited", "rank of the right section")


def beir_figures(folder: str, figures: Mapping[str, Mapping[str, float]]) -> str:
    """One line for each leg and each fusion."""
    lines = [f"{name:<24} " + "  ".join(f"{measure} {value:.4f}" for measure, value in each.items())
             for name, each in figures.items()]  # fmt: skip
    return "\n".join([f"Retrieval on {folder}:", *lines])


def tuning_text(questions: int, figures: Mapping[str, Mapping[str, float]], weights: Mapping[str, float]) -> str:
    """The figures of each set of weights, and the best ones found."""
    lines = [
        f"{name:<28} " + "  ".join(f"{measure} {value:.4f}" for measure, value in each.items())
        for name, each in figures.items()
    ]
    found = ", ".join(f"{name} {weight:g}" for name, weight in weights.items())
    return "\n".join([f"Re-ranking on {questions} questions:", *lines, f"Best weights found: {found}."])


def help_texts() -> dict[str, str]:
    """Help by option; "evaluate" is the command's own."""
    return {
        "evaluate": "Ask golden questions and measure how right the answers are.",
        "what": "run (default), or draft: write questions from chunks with the settings' language model, for approval.",
        "count": "draft: from how many chunks. Default: 20.",
        "corpus": "draft: sample or real. Default: the documents of the settings, as filled.",
        "seed": "draft: another number picks other chunks. Default: 0.",
        "dataset": "File of golden questions (JSON lines); may be given several times. Default: those in tests/golden.",
        "beir": "Measure retrieval alone on a folder in BEIR's layout: corpus.jsonl, queries.jsonl, qrels/test.tsv.",
        "tuning": "Weigh the signals of re-ranking: figures of several weights on the questions, and better weights. "
        "With --beir what they lose on that collection.",
        "retrieval_only": "Only how well the right sections are found.",
        "skip_correctness": "Leave out faithfulness, relevancy and correctness; no judge model is asked.",
        "judge": "Who grades answers beside the support checks: settings (default: the model that they name, if any), "
        "none, llama (in this process), or the address of an OpenAI-compatible endpoint.",
        "judge_name": "Name of the judge model at that address.",
        "replies": "Recorded replies (JSON lines: hash, reply) in the place of the settings' language model.",
        "prompts": "Add every request without a recorded reply to this file (JSON lines: hash, system, user, schema).",
        "tags": "Only questions with this tag; may be given several times.",
        "ids": "Only these questions; may be given several times.",
        "split": "Which part: dev (default), test or all. Of test only figures are shown.",
        "show_test": "Show single questions of the test part as well. Whoever tunes to them can no longer measure.",
        "top_k": "How many passages a question may use. Default: 15.",
        "bot": "embedded (default), services (the servers of the settings, as filled), mock, or a server's address.",
        "today": "The day on which questions without a day are asked (YYYY-MM-DD). Default: today.",
        "judged": "File of judgements on cited sections beside the gold. Default: that in tests/golden, if any.",
        "unjudged": "Write the citations that nobody judged yet to this file (JSON lines), for people to judge.",
        "output": "Write the report as JSON to this file.",
        "compare": "A report written before: which figures moved, which questions turned.",
        "format": "What goes to standard output: text, json or html.",
        "table": "Print the promised figures as a Markdown table instead, with those on MTRAG and SciFact.",
        "failures": "How many failures the text report lists. Default: 20.",
        "cache": "Folder in which ingested corpora are kept. Default: in the user's cache folder.",
    }
