import { describe, expect, test } from 'vitest';
import type { TestExchangeOptions } from '../testing/index.js';
import {
  CONFIG_MAP_A,
  CONFIG_MAPS,
  type Refusal,
  recordingChain,
  refusalOf,
  serverWithA,
} from '../testing/write-fixtures.js';

describe('patch', () => {
  const JSON_PATCH = 'application/json-patch+json';
  const MERGE = 'application/merge-patch+json';
  const STRATEGIC = 'application/strategic-merge-patch+json';
  const patch = (type: string, content: object | string, url = CONFIG_MAP_A): TestExchangeOptions => ({
    method: 'PATCH',
    url,
    headers: { 'Content-Type': type },
    body: content,
  });

  test.each<readonly [string, object]>([
    [JSON_PATCH, [{ op: 'replace', path: '/data/k', value: '2' }]],
    [MERGE, { data: { k: '2' } }],
    [`${MERGE}; charset=utf-8`, { data: { k: '2' } }],
    [STRATEGIC, { data: { k: '2' } }],
  ])('%s', async (type, content) => {
    const { admission, seen } = recordingChain();
    const { status, text } = await serverWithA({ admission }).call(patch(type, content));
    expect([status, JSON.parse(text).data, seen]).toEqual([
      200,
      { k: '2' },
      ['admit UPDATE n/a a a false', 'validate UPDATE n/a a a false'],
    ]);
  });

  test('a patch that removes the kind gets the endpoint’s', async () => {
    const { status, text } = await serverWithA().call(patch(MERGE, { kind: null }));
    expect([status, JSON.parse(text).kind, JSON.parse(text).apiVersion]).toEqual([200, 'ConfigMap', 'v1']);
  });

  const undeterminable = 'the name of the object (a based on URL) was undeterminable: name must be provided';
  const unknown = ['unknown field "data"', 'unknown field "metadata"'];
  interface Unversioned {
    readonly query?: string;
    readonly type?: string;
    readonly content: object;
    /** The code, the end of the message, and the warnings. */
    readonly expected: readonly [code: number, message: string, warnings: readonly string[]];
  }
  test.each<Unversioned>([
    { content: { apiVersion: null }, expected: [400, undeterminable, unknown] },
    { content: { apiVersion: '', kind: null }, expected: [400, undeterminable, unknown] },
    { content: { apiVersion: null, B: 1 }, expected: [400, undeterminable, ['unknown field "B"', ...unknown]] },
    {
      type: JSON_PATCH,
      content: [{ op: 'remove', path: '/apiVersion' }],
      expected: [400, undeterminable, unknown],
    },
    { query: '?fieldValidation=Ignore', content: { apiVersion: null }, expected: [400, undeterminable, []] },
    {
      query: '?fieldValidation=Strict',
      content: { apiVersion: null },
      expected: [422, `strict decoding error: ${unknown.join(', ')}`, []],
    },
    {
      content: { apiVersion: null, kind: 'Banana' },
      expected: [
        422,
        'no kind "Banana" is registered for the internal version of group "" in scheme "pkg/api/legacyscheme/scheme.go:30"',
        [],
      ],
    },
    { type: STRATEGIC, content: { apiVersion: null }, expected: [200, '', []] },
  ])('a patch that removes the apiVersion: %j', async ({ query = '', type = MERGE, content, expected }) => {
    const { status, text, warnings } = await serverWithA().call(patch(type, content, CONFIG_MAP_A + query));
    const [code, message, warned] = expected;
    const reported: string = JSON.parse(text).message ?? '';
    expect([status, reported.endsWith(message), warnings]).toEqual([code, true, warned]);
  });

  test('every attempt patches the stored object of that time', async () => {
    const made = serverWithA();
    const { update } = made.storage;
    made.storage.update = async (context, request) => {
      const old = {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'a', namespace: 'n', uid: 'u' },
        data: { other: 'x' },
      };
      const first = await request.objectInfo.updatedObject(context, old);
      expect(first['data']).toEqual({ other: 'x', k: '2' });
      return update(context, request);
    };
    const { text } = await made.call(patch(MERGE, { data: { k: '2' } }));
    expect(JSON.parse(text).data).toEqual({ k: '2' });
  });

  test('finds a duplicate whose names V8 confuses with earlier ones', async () => {
    JSON.parse(String.raw`{"outlined":1,"\\u":1,"a\\":1}`);
    const { warnings } = await serverWithA().call(patch(MERGE, String.raw`{"outlined":1,"\u0061\"":2,"a\"":3}`));
    expect(warnings).toContain(String.raw`duplicate field "a\""`);
  });

  test('reports faults of a JSON patch in their order, and at most 100', async () => {
    const strictErrors = async (content: string) => {
      const url = `${CONFIG_MAP_A}?fieldValidation=Strict`;
      const { message } = JSON.parse((await serverWithA().call(patch(JSON_PATCH, content, url))).text);
      return message.slice(message.indexOf('strict'));
    };
    const annotate = '"path":"/a","path":"/metadata/annotations","value":{"a":"1","a":"2"}';
    const few = await strictErrors(
      `[{"op":"add","foo":1,"foo":2,${annotate}},{"op":"add","path":"/data/y","value":"1","bar":1}]`,
    );
    const members = Array.from({ length: 101 }, (_, i) => `,"u${i}":1`);
    const many = await strictErrors(`[{"op":"add","path":"/data/y","value":"1"${members.join('')}}]`);
    expect([few, many.match(/json patch unknown field/g)?.length]).toEqual([
      'strict decoding error: json patch unknown field "[0].foo", json patch duplicate field "[0].path", json patch ' +
        'duplicate field "[0].value.a", json patch unknown field "[1].bar", duplicate field "metadata.annotations.a"',
      100,
    ]);
  });

  test.each<readonly [string, string, string, string]>([
    [JSON_PATCH, 'Ignore', '[{"op":"add","path":"/data","value":{"k":"2","k":"3"}}]', 'undefined'],
    [
      JSON_PATCH,
      'Strict',
      '[{"op":"add","path":"/zz","value":{"1":1.0,"b":"<","b":1}},{"op":"test","path":"/data","value":{"k":"1"}}]',
      'json patch duplicate field "[0].value.b", unknown field "zz"',
    ],
    [
      JSON_PATCH,
      '',
      '[{"op":"add","path":"/zz","value":[1e400]}]',
      'error decoding patch: json: cannot unmarshal number 1e400 into Go struct field jsonPatchOp.value of type float64',
    ],
    [JSON_PATCH, 'Ignore', '[{"op":"add","path":"/zz","value":[1e400]}]', 'undefined'],
    [
      MERGE,
      'Ignore',
      '{"data":{"z":null,"k":1e400}}',
      'json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
    ],
    [
      MERGE,
      '',
      '1e400',
      'error decoding patch: json: cannot unmarshal number into Go value of type map[string]interface {}',
    ],
    [
      MERGE,
      '',
      '[1e400]',
      'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}',
    ],
  ])('%s with validation %j of %s', async (type, validation, content, expected) => {
    const { text } = await serverWithA().call(patch(type, content, `${CONFIG_MAP_A}?fieldValidation=${validation}`));
    expect(String(JSON.parse(text).message)).toContain(expected);
  });

  test.each<readonly [string, object | string, string]>([
    [MERGE, { zz: 1 }, 'unknown field "zz"'],
    [STRATEGIC, { zz: 1 }, 'unknown field "zz"'],
    [JSON_PATCH, [{ op: 'add', path: '/zz', value: 1 }], 'unknown field "zz"'],
    [JSON_PATCH, [{ op: 'add', path: '/data/x', value: 'y', bogus: 1 }], 'json patch unknown field "[0].bogus"'],
    [JSON_PATCH, '[{"op":"add","op":"add","path":"/data/x","value":"y"}]', 'json patch duplicate field "[0].op"'],
    [MERGE, '{"data":{"x":"1", "x" : "2"}}', 'duplicate field "data.x"'],
    [STRATEGIC, '{"data":{"x":"1","x":"2"}}', 'duplicate field "data.x"'],
  ])('%s of %j warns, or is refused', async (type, content, warning) => {
    const warn = await serverWithA().call(patch(type, content));
    const ignore = await serverWithA().call(patch(type, content, `${CONFIG_MAP_A}?fieldValidation=Ignore`));
    const strict = await serverWithA().call(patch(type, content, `${CONFIG_MAP_A}?fieldValidation=Strict`));
    const { message, code } = JSON.parse(strict.text);
    expect([warn.status, warn.warnings, ignore.warnings, code, message.slice(message.indexOf('strict'))]).toEqual([
      200,
      [warning],
      [],
      422,
      `strict decoding error: ${warning}`,
    ]);
  });

  test('a rejection shows a strategic merge patch without the directives and nulls that were applied', async () => {
    const content = {
      metadata: { finalizers: ['a'], '$setElementOrder/finalizers': ['a'], labels: { $patch: 'replace', x: 'y' } },
      data: { $retainKeys: ['k', 'l'], k: null },
      spec: { a: null, b: { $patch: 'delete', c: null }, list: [{ $patch: 'delete', d: null }, { e: null }] },
      gone: null,
    };
    const { text } = await serverWithA().call(patch(STRATEGIC, content, `${CONFIG_MAP_A}?fieldValidation=Strict`));
    expect(JSON.parse(text).message).toBe(
      ' "" is invalid: patch: Invalid value: "map[data:map[k:<nil>] gone:<nil> metadata:map[labels:map[$patch:replace x:y]] ' +
        'spec:map[list:[map[]]]]": strict decoding error: unknown field "spec"',
    );
  });

  test('a rejection shows the patched object, or the patch of a strategic merge', async () => {
    const strict = `${CONFIG_MAP_A}?fieldValidation=Strict`;
    const shown = async (type: string) =>
      JSON.parse((await serverWithA().call(patch(type, { spec: { zz: [1, null, 'x'], a: true } }, strict))).text)
        .message;
    expect([await shown(STRATEGIC), await shown(MERGE)]).toEqual([
      ' "" is invalid: patch: Invalid value: "map[spec:map[a:true zz:[1 <nil> x]]]": strict decoding error: unknown field "spec"',
      ' "" is invalid: patch: Invalid value: "{\\"apiVersion\\":\\"v1\\",\\"data\\":{\\"k\\":\\"1\\"},\\"kind\\":\\"ConfigMap\\",' +
        '\\"metadata\\":{\\"name\\":\\"a\\",\\"namespace\\":\\"n\\",\\"uid\\":\\"uid-a\\",\\"resourceVersion\\":\\"1\\"},' +
        '\\"spec\\":{\\"a\\":true,\\"zz\\":[1,null,\\"x\\"]}}": strict decoding error: unknown field "spec"',
    ]);
  });

  test.each<readonly [string, string, object]>([
    ['a merge patch', MERGE, { zz: 1, data: { b: '1' }, aa: { y: 1, x: 2 } }],
    [
      'a JSON patch',
      JSON_PATCH,
      [
        { op: 'add', path: '/zz', value: 1 },
        { op: 'add', path: '/aa', value: { y: 1, x: 2 } },
        { op: 'test', path: '/metadata/name', value: 'a' },
      ],
    ],
  ])('a rejection of %s sorts the members of what the patch opens', async (_, type, content) => {
    const { text } = await serverWithA().call(patch(type, content, `${CONFIG_MAP_A}?fieldValidation=Strict`));
    const { message } = JSON.parse(text);
    const shown = JSON.parse(JSON.parse(message.slice(message.indexOf('"{'), message.indexOf(': strict'))));
    const errors = message.slice(message.indexOf('strict'));
    expect([Object.keys(shown), Object.keys(shown.aa), Object.keys(shown.metadata), errors]).toEqual([
      ['aa', 'apiVersion', 'data', 'kind', 'metadata', 'zz'],
      type === MERGE ? ['x', 'y'] : ['y', 'x'],
      type === MERGE
        ? ['name', 'namespace', 'uid', 'resourceVersion']
        : ['name', 'namespace', 'resourceVersion', 'uid'],
      'strict decoding error: unknown field "aa", unknown field "zz"',
    ]);
  });

  test('a rejection sorts the copies of what the patch opens', async () => {
    const content = [
      { op: 'test', path: '/metadata/name', value: 'a' },
      { op: 'copy', from: '/metadata', path: '/zz' },
    ];
    const { text } = await serverWithA().call(patch(JSON_PATCH, content, `${CONFIG_MAP_A}?fieldValidation=Strict`));
    expect(JSON.parse(text).message).toContain(
      '\\"zz\\":{\\"name\\":\\"a\\",\\"namespace\\":\\"n\\",\\"resourceVersion\\":\\"1\\",\\"uid\\":\\"uid-a\\"}',
    );
  });

  test.each([
    ['', '{"2":"a","x":{"z":1,"0":2},"":3,"10":[{"b":1,"1":2}]}'],
    // Upstream compares the text of a tested value. `1.5` has others.
    [
      ',{"op":"test","path":"/metadata/x","value":null,"x":1.5}',
      '{"2":"a","x":{"z":1,"0":2},"":3,"10":[{"b":1,"1":2}]}',
    ],
    // An object whose member an operation changes is parsed.
    [
      ',{"op":"add","path":"/metadata/labels/y","value":1}',
      '{"":3,"10":[{"b":1,"1":2}],"2":"a","x":{"z":1,"0":2},"y":1}',
    ],
    [',{"op":"copy","from":"/metadata/labels/x","path":"/metadata/labels"}', '{"z":1,"0":2}'],
  ])('numeric keys of a value keep their place in a rejection, before %s', async (more, shown) => {
    const value = '{"2":"a","x":{"z":1,"0":2},"":3,"10":[{"b":1,"1":2}]}';
    const content = `[{"op":"add","path":"/metadata/labels","value":${value}}${more}]`;
    const { text } = await serverWithA().call(patch(JSON_PATCH, content));
    expect(JSON.parse(text).message).toContain(JSON.stringify(`"labels":${shown}`).slice(1, -1));
  });

  test('errors come in the order of the text that upstream reads', async () => {
    const strict = `${CONFIG_MAP_A}?fieldValidation=Strict`;
    const copied = [{ op: 'add', path: '/metadata/ownerReferences', value: [{ z: 1, a: 1 }] }];
    const { text } = await serverWithA().call(patch(JSON_PATCH, copied, strict));
    expect(JSON.parse(text).message).toMatch(
      /: strict decoding error: unknown field "metadata.ownerReferences\[0\].z", unknown field "metadata.ownerReferences\[0\].a"$/,
    );
    const wrong = [{ op: 'add', path: '/metadata/ownerReferences', value: [{ uid: 1, name: [] }] }];
    const { text: refused } = await serverWithA().call(patch(JSON_PATCH, wrong));
    expect(JSON.parse(refused).message).toMatch(
      /: json: cannot unmarshal number into Go struct field OwnerReference.metadata.ownerReferences.uid of type types.UID$/,
    );
  });

  const listed =
    'application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json, ' +
    'application/apply-patch+yaml';
  test.each<Refusal>([
    ['a missing object', patch(MERGE, 'null', `${CONFIG_MAPS}/b`), 404, 'configmaps "b" not found'],
    ['half JSON', patch(MERGE, '{"a":'), 400, 'error decoding patch: unexpected end of JSON input'],
    [
      'half a JSON patch, ignoring',
      patch(JSON_PATCH, '[{', `${CONFIG_MAP_A}?fieldValidation=Ignore`),
      400,
      'unexpected end of JSON input',
    ],
    ['half a strategic patch', patch(STRATEGIC, '{'), 400, 'unexpected end of JSON input'],
    [
      'an array as merge patch',
      patch(MERGE, '[1]'),
      400,
      'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}',
    ],
    ['null as merge patch', patch(MERGE, 'null'), 400, 'Invalid JSON Patch'],
    [
      'an array as strategic patch',
      patch(STRATEGIC, '[1]'),
      400,
      'json: cannot unmarshal array into Go value of type map[string]interface {}',
    ],
    [
      'an object as JSON patch',
      patch(JSON_PATCH, { op: 'add' }),
      400,
      'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
    ],
    [
      'a test that fails',
      patch(JSON_PATCH, [{ op: 'test', path: '/data/k', value: 'x' }]),
      422,
      'the server rejected our request due to an error in our request',
    ],
    [
      'another name',
      patch(MERGE, { metadata: { name: 'b' } }),
      400,
      'the name of the object (b) does not match the name on the URL (a)',
    ],
    [
      'another namespace',
      patch(MERGE, { metadata: { namespace: 'm' } }),
      400,
      'the namespace of the provided object does not match the namespace sent on the request',
    ],
    [
      'force',
      patch(MERGE, {}, `${CONFIG_MAP_A}?force=true`),
      422,
      'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
    ],
    [
      'another kind',
      patch(MERGE, { kind: 'Banana' }),
      422,
      ' "" is invalid: patch: Invalid value: "{\\"apiVersion\\":\\"v1\\",\\"data\\":{\\"k\\":\\"1\\"},\\"kind\\":\\"Banana\\",\\"metadata\\":{\\"name\\":\\"a\\",\\"namespace\\":\\"n\\",\\"uid\\":\\"uid-a\\",\\"resourceVersion\\":\\"1\\"}}": no kind "Banana" is registered for version "v1" in scheme "pkg/api/legacyscheme/scheme.go:30"',
    ],
    [
      'a wrong type',
      patch(MERGE, { data: ['x'] }, `${CONFIG_MAP_A}?fieldValidation=Ignore`),
      422,
      ' "" is invalid: patch: Invalid value: "{\\"apiVersion\\":\\"v1\\",\\"data\\":[\\"x\\"],\\"kind\\":\\"ConfigMap\\",\\"metadata\\":{\\"name\\":\\"a\\",\\"namespace\\":\\"n\\",\\"uid\\":\\"uid-a\\",\\"resourceVersion\\":\\"1\\"}}": json: cannot unmarshal array into Go struct field ConfigMap.data of type map[string]string',
    ],
    [
      'a wrong type behind a test of a text that JSON may write in other ways',
      patch(JSON_PATCH, [
        { op: 'test', path: '/metadata/uid', value: 'uid-a' },
        { op: 'add', path: '/data/x', value: { y: 1e21 } },
      ]),
      422,
      ' "" is invalid: patch: Invalid value: "{\\"apiVersion\\":\\"v1\\",\\"data\\":{\\"k\\":\\"1\\",\\"x\\":{\\"y\\":1e+21}},\\"kind\\":\\"ConfigMap\\",\\"metadata\\":{\\"name\\":\\"a\\",\\"namespace\\":\\"n\\",\\"resourceVersion\\":\\"1\\",\\"uid\\":\\"uid-a\\"}}": json: cannot unmarshal object into Go struct field ConfigMap.data of type string',
    ],
    ['an unknown type', patch('text/plain', 'x'), 415, '415: Unsupported Media Type'],
    ['an unknown type without body', patch('text/plain', ''), 415, '415: Unsupported Media Type'],
    ['no type', patch('', '{}'), 415, '415: Unsupported Media Type'],
    ['a type in upper case', patch(MERGE.toUpperCase(), '{}'), 415, '415: Unsupported Media Type'],
    [
      'a type among others',
      patch(`text/plain, ${MERGE}`, '{}'),
      415,
      `the body of the request was in an unknown format - accepted media types include: ${listed}`,
    ],
    [
      'a type with a space behind it',
      patch(`${MERGE} ; charset=utf-8`, '{}'),
      415,
      `the body of the request was in an unknown format - accepted media types include: ${listed}`,
    ],
  ])('refuses %s', async (_, options, code, message) => {
    expect(await refusalOf(serverWithA(), options)).toEqual([code, message]);
  });
});
