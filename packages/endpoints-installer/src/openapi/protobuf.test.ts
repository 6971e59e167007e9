import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { describe, expect, it } from 'vitest';
import { encodeDocumentV2 } from './protobuf-v2.js';
import { encodeDocumentV3 } from './protobuf-v3.js';

function allSteps<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** The fields of a message by number: strings for text, otherwise nested messages. */
type Fields = Record<string, unknown[]>;

/** Reads a message without its schema. `texts` tells which length-delimited fields are text. */
function read(bytes: Uint8Array, texts: (path: string) => boolean, path = ''): Fields {
  const reader = new BinaryReader(bytes);
  const fields: Fields = {};
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag();
    const at = path === '' ? `${number}` : `${path}.${number}`;
    fields[number] = [...(fields[number] ?? []), readValue(reader, type, at, texts)];
  }
  return fields;
}

function readValue(reader: BinaryReader, type: WireType, at: string, texts: (path: string) => boolean): unknown {
  if (type === WireType.Varint) return reader.uint32();
  if (type === WireType.Bit64) return reader.double();
  return texts(at) ? reader.string() : read(reader.bytes(), texts, at);
}

const among =
  (...paths: readonly RegExp[]) =>
  (path: string) =>
    paths.some((pattern) => pattern.test(path));

describe('protobuf form of OpenAPI 2.0', () => {
  it('puts every part where client-go looks for it', () => {
    const document = {
      swagger: '2.0',
      info: { title: 'T', version: 'v1' },
      paths: {
        '/x/{name}': {
          get: {
            tags: ['t'],
            operationId: 'readX',
            produces: ['p'],
            parameters: [{ $ref: '#/parameters/watch-1' }],
            responses: { 200: { description: 'OK', schema: { $ref: '#/definitions/X' } }, 401: { description: 'No' } },
            schemes: ['https'],
            'x-kubernetes-action': 'get',
          },
          parameters: [{ uniqueItems: true, type: 'string', name: 'name', in: 'path', required: true }],
        },
      },
      definitions: {
        X: {
          type: 'object',
          required: ['a'],
          properties: { a: { type: 'array', items: { $ref: '#/definitions/Y' }, 'x-kubernetes-list-type': 'atomic' } },
          additionalProperties: { type: 'string' },
        },
      },
      parameters: {
        'watch-1': { type: 'boolean', name: 'watch', in: 'query' },
        'body-1': { name: 'body', in: 'body', schema: { $ref: '#/definitions/Y' } },
      },
      securityDefinitions: { BearerToken: { type: 'apiKey', name: 'authorization', in: 'header' } },
      security: [{ BearerToken: [] }],
    };
    const isText = among(
      /^1$/,
      /^2\.\d$/,
      /^8\.2\.1$/,
      /^8\.2\.2\.2\.(1|5|6|10)$/,
      /^8\.2\.2\.2\.8\.2\.1$/,
      /^8\.2\.2\.2\.9\.1\.1$/,
      /^8\.2\.2\.2\.9\.1\.2\.1\.1$/,
      /^8\.2\.2\.2\.9\.1\.2\.1\.2\.1\.1$/,
      /^8\.2\.2\.2\.13\.(1|2\.2)$/,
      /^8\.2\.2\.9\.1\.2\.4\.\d$/,
      /^9\.1\.1$/,
      /^9\.1\.2\.19$/,
      /^9\.1\.2\.22\.1$/,
      /^9\.1\.2\.21\.1\.22\.1$/,
      /^9\.1\.2\.25\.1\.1$/,
      /^9\.1\.2\.25\.1\.2\.22\.1$/,
      /^9\.1\.2\.25\.1\.2\.23\.1\.1$/,
      /^9\.1\.2\.25\.1\.2\.31\.(1|2\.2)$/,
      /^10\.1\.1$/,
      /^10\.1\.2\.2\.3\.\d$/,
      /^10\.1\.2\.1\.[23]$/,
      /^10\.1\.2\.1\.5\.1$/,
      /^12\.1\.1$/,
      /^13\.1\.1$/,
      /^13\.1\.2\.2\.\d$/,
    );
    expect(read(allSteps(encodeDocumentV2(document)), isText)).toEqual({
      1: ['2.0'],
      2: [{ 1: ['T'], 2: ['v1'] }],
      8: [
        {
          2: [
            {
              1: ['/x/{name}'],
              2: [
                {
                  2: [
                    {
                      1: ['t'],
                      5: ['readX'],
                      6: ['p'],
                      8: [{ 2: [{ 1: ['#/parameters/watch-1'] }] }],
                      9: [
                        {
                          1: [
                            { 1: ['200'], 2: [{ 1: [{ 1: ['OK'], 2: [{ 1: [{ 1: ['#/definitions/X'] }] }] }] }] },
                            { 1: ['401'], 2: [{ 1: [{ 1: ['No'] }] }] },
                          ],
                        },
                      ],
                      10: ['https'],
                      13: [{ 1: ['x-kubernetes-action'], 2: [{ 2: ['get\n'] }] }],
                    },
                  ],
                  9: [{ 1: [{ 2: [{ 4: [{ 1: [1], 2: ['path'], 4: ['name'], 5: ['string'], 19: [1] }] }] }] }],
                },
              ],
            },
          ],
        },
      ],
      9: [
        {
          1: [
            {
              1: ['X'],
              2: [
                {
                  19: ['a'],
                  21: [{ 1: [{ 22: [{ 1: ['string'] }] }] }],
                  22: [{ 1: ['object'] }],
                  25: [
                    {
                      1: [
                        {
                          1: ['a'],
                          2: [
                            {
                              22: [{ 1: ['array'] }],
                              23: [{ 1: [{ 1: ['#/definitions/Y'] }] }],
                              31: [{ 1: ['x-kubernetes-list-type'], 2: [{ 2: ['atomic\n'] }] }],
                            },
                          ],
                        },
                      ],
                    },
                  ],
                },
              ],
            },
          ],
        },
      ],
      10: [
        {
          1: [
            { 1: ['watch-1'], 2: [{ 2: [{ 3: [{ 2: ['query'], 4: ['watch'], 6: ['boolean'] }] }] }] },
            { 1: ['body-1'], 2: [{ 1: [{ 2: ['body'], 3: ['body'], 5: [{ 1: ['#/definitions/Y'] }] }] }] },
          ],
        },
      ],
      12: [{ 1: [{ 1: ['BearerToken'], 2: [{}] }] }],
      13: [{ 1: [{ 1: ['BearerToken'], 2: [{ 2: [{ 1: ['apiKey'], 2: ['authorization'], 3: ['header'] }] }] }] }],
    });
  });
});

describe('protobuf form of OpenAPI 3.0', () => {
  it('puts every part where clients look for it', () => {
    const document = {
      openapi: '3.0.0',
      paths: {
        '/x': {
          put: {
            operationId: 'replaceX',
            requestBody: { content: { '*/*': { schema: { $ref: '#/components/schemas/X' } } }, required: true },
            responses: { 200: { description: 'OK' } },
          },
          parameters: [{ name: 'pretty', in: 'query', schema: { type: 'string', uniqueItems: true } }],
        },
      },
      components: {
        schemas: {
          X: {
            properties: {
              a: { type: 'string', default: '' },
              b: { allOf: [{ $ref: '#/components/schemas/Y' }], default: {} },
              c: { type: 'integer', default: 0 },
              d: { additionalProperties: false },
            },
          },
        },
      },
    };
    const isText = among(
      /^1$/,
      /^4\.1\.1$/,
      /^4\.1\.2\.5\.5$/,
      /^4\.1\.2\.5\.7\.1\.2\.1\.1$/,
      /^4\.1\.2\.5\.7\.1\.2\.1\.2\.1\.2\.1$/,
      /^4\.1\.2\.5\.8\.2\.1$/,
      /^4\.1\.2\.5\.8\.2\.2\.1\.1$/,
      /^4\.1\.2\.13\.1\.[12]$/,
      /^4\.1\.2\.13\.1\.10\.1\.25$/,
      /^5\.1\.1\.1$/,
      /^5\.1\.1\.2\.1\.31\.1\.1$/,
      /^5\.1\.1\.2\.1\.31\.1\.2\.1\.25$/,
      /^5\.1\.1\.2\.1\.31\.1\.2\.1\.26\.2\.1$/,
      /^5\.1\.1\.2\.1\.31\.1\.2\.1\.33\.3$/,
    );
    expect(read(allSteps(encodeDocumentV3(document)), isText)).toEqual({
      1: ['3.0.0'],
      4: [
        {
          1: [
            {
              1: ['/x'],
              2: [
                {
                  5: [
                    {
                      5: ['replaceX'],
                      7: [
                        {
                          1: [
                            {
                              2: [{ 1: [{ 1: ['*/*'], 2: [{ 1: [{ 2: [{ 1: ['#/components/schemas/X'] }] }] }] }] }],
                              3: [1],
                            },
                          ],
                        },
                      ],
                      8: [{ 2: [{ 1: ['200'], 2: [{ 1: [{ 1: ['OK'] }] }] }] }],
                    },
                  ],
                  13: [{ 1: [{ 1: ['pretty'], 2: ['query'], 10: [{ 1: [{ 20: [1], 25: ['string'] }] }] }] }],
                },
              ],
            },
          ],
        },
      ],
      5: [
        {
          1: [
            {
              1: [
                {
                  1: ['X'],
                  2: [
                    {
                      1: [
                        {
                          31: [
                            {
                              1: [
                                { 1: ['a'], 2: [{ 1: [{ 25: ['string'], 33: [{ 3: [''] }] }] }] },
                                {
                                  1: ['b'],
                                  2: [{ 1: [{ 26: [{ 2: [{ 1: ['#/components/schemas/Y'] }] }], 33: [{}] }] }],
                                },
                                { 1: ['c'], 2: [{ 1: [{ 25: ['integer'], 33: [{ 1: [0] }] }] }] },
                                { 1: ['d'], 2: [{ 1: [{ 32: [{ 2: [0] }] }] }] },
                              ],
                            },
                          ],
                        },
                      ],
                    },
                  ],
                },
              ],
            },
          ],
        },
      ],
    });
  });
});

it.each<[unknown, string]>([
  ['get', 'get\n'],
  ['yes', '"yes"\n'],
  ['a: b', "'a: b'\n"],
  [true, 'true\n'],
  [3, '3\n'],
  [[], '[]\n'],
  [{ version: 'v1', group: '', kind: 'Pod' }, 'group: ""\nkind: Pod\nversion: v1\n'],
  [[{ version: 'v1', group: 'apps', kind: 'Deployment' }], '- group: apps\n  kind: Deployment\n  version: v1\n'],
  [[{ fieldPath: 'spec.color' }, { fieldPath: 'no' }], '- fieldPath: spec.color\n- fieldPath: "no"\n'],
  [['a', 'b'], '- a\n- b\n'],
])('writes the extension %j in the block style of YAML', (value, yaml) => {
  const bytes = allSteps(encodeDocumentV2({ definitions: { X: { 'x-kubernetes-some': value } } }));
  const isText = among(/^9\.1\.1$/, /^9\.1\.2\.31\.1$/, /^9\.1\.2\.31\.2\.2$/);
  expect(read(bytes, isText)).toEqual({
    9: [{ 1: [{ 1: ['X'], 2: [{ 31: [{ 1: ['x-kubernetes-some'], 2: [{ 2: [yaml] }] }] }] }] }],
  });
});
