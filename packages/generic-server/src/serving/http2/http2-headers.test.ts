import { RequestHeadBuilder } from '@apiserver/http2';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RequestHeadersView } from '../transport/request-headers.js';
import { Http2Headers } from './http2-headers.js';

type Fields = readonly (readonly [name: string, value: string])[];

function headOf(fields: Fields) {
  const builder = new RequestHeadBuilder();
  const target: Fields = [
    [':method', 'GET'],
    [':scheme', 'https'],
    [':authority', 'localhost'],
    [':path', '/'],
  ];
  for (const [name, value] of [...target, ...fields]) builder.field(name, value);
  return builder.finish(true);
}

const names = ['accept', 'cookie', 'set-cookie', 'authorization', 'user-agent', 'impersonate-group', 'x', '1'];
const field = fc.tuple(fc.constantFrom(...names), fc.constantFrom('a', 'b', 'c, d', ''));
/** As many fields as are searched, and more. */
const fieldsOf = fc.oneof(fc.array(field, { maxLength: 12 }), fc.array(field, { minLength: 20, maxLength: 30 }));

describe('Http2Headers', () => {
  it('tells what the joined headers tell', () => {
    fc.assert(
      fc.property(fieldsOf, (fields) => {
        const head = headOf(fields);
        const headers = new Http2Headers(head);
        const joined = new RequestHeadersView({ joined: head.headers, raw: head.rawHeaders });
        for (const name of [...names, 'absent']) {
          for (const asked of [name, name.toUpperCase()]) {
            expect([asked, headers.get(asked), headers.all(asked)]).toEqual([
              asked,
              joined.get(asked),
              joined.all(asked),
            ]);
          }
        }
        expect([...headers.names()].sort()).toEqual([...joined.names()].sort());
      }),
    );
  });

  it('joins no headers of a usual request', () => {
    const head = headOf([
      ['accept', 'application/json'],
      ['user-agent', 'kubectl'],
    ]);
    const headers = new Http2Headers(head);
    Object.defineProperty(head, 'headers', { get: () => expect.unreachable('the headers are joined') });
    expect([headers.get('Accept'), headers.all('user-agent'), headers.get('x'), [...headers.names()]]).toEqual([
      'application/json',
      ['kubectl'],
      undefined,
      ['accept', 'user-agent'],
    ]);
  });
});
