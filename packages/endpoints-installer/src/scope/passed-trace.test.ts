import { expect, it } from 'vitest';
import { passedTrace } from './passed-trace.js';

/** As a client sent them. */
function headersOf(sent: Readonly<Record<string, string>>) {
  return {
    get: (name: string) => sent[name],
    all: (name: string) => [sent[name] ?? ''],
    names: () => Object.keys(sent),
  };
}

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

it.each([
  ['nothing', {}, undefined],
  ['a trace', { traceparent }, { traceparent }],
  ['a trace with state', { traceparent, tracestate: 'a=b' }, { traceparent, tracestate: 'a=b' }],
  ['state without a trace', { tracestate: 'a=b' }, undefined],
  ['baggage', { baggage: 'team=a' }, { baggage: 'team=a' }],
  ['too much baggage', { baggage: `a=${'x'.repeat(8191)}` }, undefined],
  ['a trace of zeros', { traceparent: `00-${'0'.repeat(32)}-b7ad6b7169203331-01` }, undefined],
  ['the version ff', { traceparent: `ff${traceparent.slice(2)}` }, undefined],
  ['no trace at all', { traceparent: 'x' }, undefined],
])('%s', (_, headers, expected) => {
  expect(passedTrace(headersOf(JSON.parse(JSON.stringify(headers))))).toEqual(expected);
});
