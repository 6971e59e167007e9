import type { RequestHeaders } from '@apiserver/apiserver-contracts';

/** Version 0 of W3C's form, or a later one that begins in the same way. */
const TRACE_PARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-|$)/;
/** Bytes. Source: https://www.w3.org/TR/baggage/#limits */
const MAX_BAGGAGE = 8192;

/**
 * The headers of a client's trace that a server passes on if it does not trace itself; undefined if there is none.
 * Upstream: otelhttp with the provider of package noop
 */
export function passedTrace(headers: RequestHeaders): Readonly<Record<string, string>> | undefined {
  const traceparent = headers.get('traceparent');
  const tracestate = headers.get('tracestate');
  const baggage = headers.get('baggage') ?? '';
  const isValid = traceparent !== undefined && TRACE_PARENT.test(traceparent);
  const passed = {
    ...(isValid && { traceparent, ...(tracestate !== undefined && { tracestate }) }),
    ...(baggage !== '' && baggage.length <= MAX_BAGGAGE && { baggage }),
  };
  return Object.keys(passed).length === 0 ? undefined : passed;
}
