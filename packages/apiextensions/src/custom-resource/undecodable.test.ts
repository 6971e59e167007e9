import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { startInMemory } from '../testing/index.js';
import { startDefined } from '../testing/start-defined.js';

const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const NUMBER = 'number -1e400 into Go value of type float64';
const META = 'string into Go value of type v1.ObjectMeta';

/** A custom resource has a kind only once it is decoded. Before that, any spelling of its members counts. */
describe('the error of a custom resource that cannot be decoded', () => {
  let server: ReturnType<typeof startInMemory>;
  beforeAll(async () => {
    server = await startDefined([{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }]);
  });
  afterAll(() => server.stop());

  it.each([
    ['"apiVersion":"g.io/v1","a":-1e400', 'v1', NUMBER],
    ['"apiVer\u017fion":"g.io/v1","a":-1e400', 'v1', NUMBER],
    ['"apiVersion":"/","a":-1e400', 'v1', NUMBER],
    ['"a":-1e400', 'v1', NUMBER],
    ['"apiVersion":"g.io/v1","metadata":"x"', 'v1', META],
    ['"metadata":"x"', '', META],
    ['"apiVer\u017fion":"g.io/v1","metadata":"x"', '', META],
  ])('names the version as upstream: %s', async (members, version, what) => {
    const body = `{${members},"kind":"T"}`;
    const { code, json } = await server.ask({ method: 'POST', path: '/apis/g.io/v1/ts', body });
    const message = `T in version "${version}" cannot be handled as a T: json: cannot unmarshal ${what}`;
    expect([code, json.message]).toEqual([400, message]);
  });
});
