import { type MatcherResult, membersOf, shown } from './matcher.js';

/** The fields of a Status. At least one must be given. */
export interface ExpectedStatus {
  readonly code?: number;
  readonly reason?: string;
  /** A part of the message. */
  readonly message?: string;
}

/**
 * A refusal: a Status, an error that has one (of @kubernetes/client-node, or with a `status`), or a Response of fetch,
 * whose body is read. A matcher of a Response must be awaited.
 */
export function toBeStatus(received: unknown, expected: ExpectedStatus): MatcherResult | Promise<MatcherResult> {
  if (!isResponse(received)) return compare(statusOf(received), expected, received);
  const code = received.status;
  return received.text().then((text) => compare({ code, ...parsed(text) }, expected, text));
}

function compare(
  status: Readonly<Record<string, unknown>>,
  expected: ExpectedStatus,
  received: unknown,
): MatcherResult {
  const { code, reason, message = '' } = expected;
  const pass =
    Object.keys(expected).length > 0 &&
    (code === undefined || status['code'] === code) &&
    (reason === undefined || status['reason'] === reason) &&
    String(status['message'] ?? '').includes(message);
  const seen = { code: status['code'], reason: status['reason'], message: status['message'] };
  const isKnown = Object.values(seen).some((value) => value !== undefined);
  return {
    pass,
    message: () =>
      `expected ${isKnown ? shown(seen) : `no Status, but ${shown(received)},`} ${pass ? 'not ' : ''}to be the Status ${shown(expected)}`,
  };
}

/** A Status, or that of an error. A `body` may be text. */
function statusOf(received: unknown): Readonly<Record<string, unknown>> {
  const value = membersOf(received);
  if (value['kind'] === 'Status') return value;
  const { body, status } = value;
  if (membersOf(status)['kind'] === 'Status') return membersOf(status);
  const inner = typeof body === 'string' ? parsed(body) : membersOf(body);
  return { code: value['code'], ...inner };
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    return membersOf(JSON.parse(text));
  } catch {
    return {};
  }
}

function isResponse(value: unknown): value is Pick<Response, 'status' | 'text'> {
  const { status, text } = membersOf(value);
  return typeof status === 'number' && typeof text === 'function';
}
