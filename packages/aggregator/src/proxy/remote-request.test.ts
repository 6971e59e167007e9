import type { Exchange, UserInfo } from '@apiserver/apiserver-contracts';
import { createInProcessExchange } from '@apiserver/generic-server/testing';
import { expect, it } from 'vitest';
import { exchangeAs } from './remote-request.js';

function headersOf(exchange: Exchange, user: UserInfo): Record<string, readonly string[]> {
  const { headers } = exchangeAs(exchange, user).request;
  return Object.fromEntries([...headers.names()].map((name) => [name, headers.all(name)]));
}

it("sends the user's identity instead of identity headers of the client", () => {
  const exchange = createInProcessExchange({
    headers: {
      accept: 'application/json',
      'X-Remote-User': 'forged',
      'X-Remote-Group': ['system:masters'],
      'X-Remote-Extra-Scope': 'everything',
    },
  });
  const user = { name: 'alice', uid: 'u', groups: ['a', 'b'], extra: { 'example.com/ü%': ['x', 'y'] } };
  expect(headersOf(exchange, user)).toEqual({
    accept: ['application/json'],
    'x-remote-user': ['alice'],
    'x-remote-uid': ['u'],
    'x-remote-group': ['a', 'b'],
    'x-remote-extra-example.com%2f%c3%bc%25': ['x', 'y'],
  });
});

it('omits headers without a value', () => {
  const exchange = createInProcessExchange({ headers: { 'x-remote-uid': 'forged', 'x-remote-group': 'forged' } });
  expect(headersOf(exchange, { name: 'bob', groups: [], extra: {} })).toEqual({ 'x-remote-user': ['bob'] });
});

it('carries the trace on that the server continues', () => {
  const exchange = createInProcessExchange({ headers: { traceparent: 'of the client' } });
  const events: unknown[] = [];
  const span = {
    start: (name: string) => {
      events.push(name);
      return span;
    },
    addEvent: () => {},
    setAttributes: (attributes: object) => events.push(attributes),
    fail: () => {},
    end: () => events.push('end'),
    headers: { traceparent: 'of the call' },
  };
  exchange.context.span = span;
  expect(headersOf(exchange, { name: 'bob', groups: [], extra: {} })).toEqual({
    'x-remote-user': ['bob'],
    traceparent: ['of the call'],
  });
  exchange.finish({ status: 200, bytesWritten: 1, aborted: false });
  expect(events).toEqual(['HTTP GET', { 'http.response.status_code': 200 }, 'end']);
});
