import type { RequestAudit } from '@apiserver/apiserver-contracts';
import { expect, it } from 'vitest';
import { createTestExchange } from '../testing/test-exchange.js';
import { observedEncoding, observedTransform } from './observed-encoding.js';

/** An exchange whose audit collects the layers that are reported. */
function audited() {
  const layers = new Set<string>();
  const exchange = createTestExchange();
  const audit: Partial<RequestAudit> = {
    spend: (layer, milliseconds) => {
      expect(milliseconds).toBeGreaterThanOrEqual(0);
      layers.add(layer);
    },
  };
  exchange.context.audit = audit as RequestAudit;
  return { exchange, layers };
}

it('reports the time of a transformation', () => {
  const { exchange, layers } = audited();
  expect(observedTransform(exchange, () => 1)).toBe(1);
  expect([...layers]).toEqual(['transform-response-object']);
});

it('reports the time of encoding a whole response', async () => {
  const { exchange, layers } = audited();
  const response = { type: 'bytes', status: 200, body: new Uint8Array(3) } as const;
  expect(observedEncoding(exchange, 'application/json', () => response)).toBe(response);
  expect(await observedEncoding(exchange, 'application/json', async () => response)).toBe(response);
  expect([...layers]).toEqual(['serialize-response-object']);
});

it('divides the time of a response in chunks between those who make and who write it', async () => {
  const { exchange, layers } = audited();
  const chunks = [new Uint8Array(1), new Uint8Array(2)];
  const response = await observedEncoding(exchange, 'application/json', async () => {
    return { type: 'chunks' as const, status: 200, chunks };
  });
  const received: Uint8Array[] = [];
  if (response.type === 'chunks') for await (const chunk of response.chunks) received.push(chunk);
  expect(received).toEqual(chunks);
  expect([...layers]).toEqual(['serialize-response-object', 'response-write']);
});
