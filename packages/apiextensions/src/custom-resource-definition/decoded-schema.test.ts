import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startInMemory, until } from '../testing/memory-server.js';
import { DEFINITIONS, definitionOfT } from '../testing/start-defined.js';

const DRY_RUN = `${DEFINITIONS}?dryRun=All`;

/** A definition with a schema, which is JSON. */
function withSchema(schema: string): string {
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: 'SCHEMA' } };
  return JSON.stringify(definitionOfT([version])).replace('"SCHEMA"', schema);
}

describe('the values in a schema', () => {
  let server: ReturnType<typeof startInMemory>;
  beforeAll(async () => {
    server = startInMemory();
    await server.started;
  });
  afterAll(() => server.stop());

  const postWhole = (schema: string) => server.ask({ method: 'POST', path: DRY_RUN, body: withSchema(schema) });
  const post = (field: string) => postWhole(`{"type":"object","properties":{"a":${field}}}`);
  const large = '9'.repeat(400);

  it('are doubles beyond 64 bits', async () => {
    const { text } = await post('{"type":"number","default":9223372036854775808,"enum":[9223372036854775808,2]}');
    expect(text).toContain('"default":9223372036854776000,"enum":[9223372036854776000,2]');
  });

  it('show an empty list of required members where a message shows the schema', async () => {
    const status = { subresources: { status: {} } };
    const schema = { openAPIV3Schema: { type: 'object', required: [], enum: [{}] } };
    const body = JSON.stringify(definitionOfT([{ name: 'v1', served: true, storage: true, schema, ...status }]));
    const { code, text } = await server.ask({ method: 'POST', path: DRY_RUN, body });
    expect([code, text.includes(String.raw`\"Required\":[]`)]).toEqual([422, true]);
  });

  it.each(['[]', '7', '""'])('tell a list of schemas without any from an absent one: %s', async (items) => {
    const { code, json } = await post(`{"type":"array","x-kubernetes-list-type":"map","items":${items}}`);
    const shown = '{"Schema":null,"JSONSchemas":[]}';
    expect([code, json.details.causes.map((cause: { readonly message: string }) => cause.message)]).toEqual([
      422,
      [
        'Required value: must be specified',
        'Required value: must not be empty if x-kubernetes-list-type is map',
        `Invalid value: ${shown}: must only have a single schema if x-kubernetes-list-type is map`,
      ],
    ]);
  });

  it('drop a list of schemas without any and empty rules when they are stored', async () => {
    const { code, text } = await post('{"type":"object","items":[],"x-kubernetes-validations":[]}');
    expect([code, text.includes('"a":{"type":"object"}')]).toEqual([201, true]);
  });

  it('show an empty list of rules where a message shows the schema', async () => {
    const status = { subresources: { status: {} } };
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-validations': [], enum: [{}] } };
    const body = JSON.stringify(definitionOfT([{ name: 'v1', served: true, storage: true, schema, ...status }]));
    const { code, text } = await server.ask({ method: 'POST', path: DRY_RUN, body });
    expect([code, text.includes(String.raw`\"XValidations\":[]`)]).toEqual([422, true]);
  });

  it('keep the sign of zero as a bound', async () => {
    const { text } = await post('{"type":"number","minimum":-0,"maximum":-0.0,"default":-0.0}');
    expect(text).toContain('{"type":"number","default":0,"maximum":-0,"minimum":-0}');
  });

  it('have their keys in order', async () => {
    const value = '{"b":{"d":1,"c":[{"f":1,"e":2}]},"a":3}';
    const { text } = await post(`{"type":"object","example":${value},"enum":[${value}]}`);
    const sorted = '{"a":3,"b":{"c":[{"e":2,"f":1}],"d":1}}';
    expect([text.includes(`"example":${sorted}`), text.includes(`"enum":[${sorted}]`)]).toEqual([true, true]);
  });

  it('keep the digits of integers of 64 bits', async () => {
    const value = '{"a":9007199254740993,"b":[-9223372036854775808]}';
    const { text } = await post(`{"type":"object","example":${value},"enum":[${value}]}`);
    expect([text.includes(`"example":${value}`), text.includes(`"enum":[${value}]`)]).toEqual([true, true]);
  });

  it('are doubles in a definition that was stored, too', async () => {
    const own = startInMemory();
    await own.started;
    const large = '100000000000000000000';
    const properties = [
      `"a":{"type":"number","default":${large},"maximum":1e21}`,
      `"b":{"type":"number","enum":[${large}]}`,
      `"c":{"x-kubernetes-preserve-unknown-fields":true,"default":[${large}]}`,
    ];
    const body = withSchema(`{"type":"object","properties":{${properties.join()}}}`);
    expect((await own.ask({ method: 'POST', path: DEFINITIONS, body })).code).toBe(201);
    await until(own, '/apis/g.io/v1/ts', () => true);
    const object = '{"apiVersion":"g.io/v1","kind":"T","metadata":{"name":"x"},"b":1e20}';
    const { text } = await own.ask({ method: 'POST', path: '/apis/g.io/v1/ts', body: object });
    await own.stop();
    expect(text).toContain(`{"a":${large},"apiVersion":"g.io/v1","b":${large},"c":[${large}],`);
  });

  it('are doubles where errors show them', async () => {
    const { json } = await post('{"type":"integer","default":9223372036854775808}');
    expect(json.details.causes.map(({ message }: { readonly message: string }) => message)).toEqual([
      'Invalid value: "number":  in body must be of type integer: "number"',
      'Invalid value: "": Checked value must be of type integer (default format) in ',
    ]);
  });

  it.each([
    ['default', `{"type":"number","default":${large}}`],
    ['enum', `{"type":"number","enum":[1,${large}]}`],
    ['example', `{"type":"object","example":{"x":[${large}]}}`],
  ])('are no larger than a double: %s', async (_, schema) => {
    const { code, json } = await post(schema);
    const kind = 'CustomResourceDefinition';
    const detail = `json: cannot unmarshal number ${large} into Go value of type float64`;
    const message = `${kind} in version "v1" cannot be handled as a ${kind}: ${detail}`;
    expect([code, json.reason, json.message]).toEqual([400, 'BadRequest', message]);
  });

  it('are refused even if they are empty: dependencies', async () => {
    const { code, json } = await post('{"type":"object","dependencies":{}}');
    const field = 'spec.validation.openAPIV3Schema.properties[a].dependencies';
    const message = 'Forbidden: dependencies is not supported';
    expect([code, json.details?.causes]).toEqual([422, [{ reason: 'FieldValueForbidden', message, field }]]);
  });

  it.each([
    ...['allOf', 'oneOf', 'anyOf', 'enum', 'x-kubernetes-list-map-keys'].map((name) => [name, '[]']),
    ...['definitions', 'patternProperties'].map((name) => [name, '{}']),
  ])('are allowed if they are empty, but not at the root beside a status: %s', async (name, empty) => {
    const inGroup = (schema: string) => withSchema(schema).replaceAll('g.io', 'empty.io');
    const field = `{"type":"object","properties":{"a":{"type":"object","default":{},"${name}":${empty}}}}`;
    const nested = await server.ask({ method: 'POST', path: DRY_RUN, body: inGroup(field) });
    const root = `{"type":"object","${name}":${empty}}`;
    const body = inGroup(root).replace('"schema":', '"subresources":{"status":{}},"schema":');
    const { code, json } = await server.ask({ method: 'POST', path: DRY_RUN, body });
    expect([nested.code, nested.text.includes(name), code]).toEqual([201, false, 422]);
    expect(json.message).toContain('fields are allowed at the root of the schema if the status subresource');
  });

  it('are those of an IntOrString beside empty members', async () => {
    const types = '{"anyOf":[{"type":"integer","dependencies":{}},{"type":"string","enum":[]}]}';
    const { json } = await post(`{"x-kubernetes-int-or-string":true,"allOf":[${types},{"pattern":"x"}]}`);
    const fields = json.details.causes.map(({ field }: { readonly field: string }) => field);
    expect(fields).toEqual(['spec.validation.openAPIV3Schema.properties[a].allOf[0].anyOf[0].dependencies']);
  });

  it('are shared by versions that differ in empty members', async () => {
    const body = JSON.parse(withSchema('{"type":"object","properties":{"a":{"type":"odd"}}}'));
    const [version] = body.spec.versions;
    const other = structuredClone({ ...version, name: 'v2', storage: false });
    other.schema.openAPIV3Schema.properties.a.enum = [];
    const sent = JSON.stringify({ ...body, spec: { ...body.spec, versions: [version, other] } });
    const { json } = await server.ask({ method: 'POST', path: DRY_RUN, body: sent });
    expect(json.message).toContain('spec.validation.openAPIV3Schema.properties[a].type');
  });

  it('have a new generation only for changes that are stored', async () => {
    const inGroup = (schema: string) => withSchema(schema).replaceAll('g.io', 'changed.io');
    const schema = '{"type":"object","properties":{"a":{"type":"object"}}}';
    await server.ask({ method: 'POST', path: DEFINITIONS, body: inGroup(schema) });
    const generationAfter = async (a: string) => {
      const { json } = await server.ask({ method: 'GET', path: `${DEFINITIONS}/ts.changed.io` });
      const body = JSON.parse(inGroup(schema.replace('{"type":"object"}', a)));
      const { resourceVersion } = json.metadata;
      const sent = JSON.stringify({ ...body, metadata: { ...body.metadata, resourceVersion } });
      const put = await server.ask({ method: 'PUT', path: `${DEFINITIONS}/ts.changed.io`, body: sent });
      return [put.code, put.json.metadata.generation];
    };
    expect(await generationAfter('{"type":"object","enum":[]}')).toEqual([200, 1]);
    expect(await generationAfter('{"type":"object","enum":[{}]}')).toEqual([200, 2]);
  });

  it('are not checked by rules if they are at fault, also at the root', async () => {
    const rules = [{ rule: 'has(self.a.b)' }];
    const a = { type: 'object', properties: { b: { type: 'string' } } };
    const schema = { type: 'object', properties: { a }, default: {}, 'x-kubernetes-validations': rules };
    const { json } = await postWhole(JSON.stringify(schema));
    const path = 'spec.validation.openAPIV3Schema.default';
    expect(json.details.causes.map(({ field }: { readonly field: string }) => field)).toEqual([
      `${path}.apiVersion`,
      `${path}.kind`,
    ]);
  });

  it('has rules of a named type', async () => {
    const { json } = await post('{"type":"string","x-kubernetes-validations":"A"}');
    expect(json.message).toContain('x-kubernetes-validations of type v1.ValidationRules');
  });
});
