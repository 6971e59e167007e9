import { expect, it } from 'vitest';
import { startDefined } from '../testing/start-defined.js';

const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

it.each(['"apiVersion":"g.io/v1"', '"apiVer\u017fion":"g.io/v1"', '"apiVersion":"/"'])(
  'the error of a number beyond all floats beside %s names the version as upstream',
  async (version) => {
    const server = await startDefined([{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }]);
    const body = `{${version},"kind":"T","metadata":{"name":"x"},"a":-1e400}`;
    const { code, json } = await server.ask({ method: 'POST', path: '/apis/g.io/v1/ts', body });
    await server.stop();
    const why = 'json: cannot unmarshal number -1e400 into Go value of type float64';
    expect([code, json.message]).toEqual([400, `T in version "v1" cannot be handled as a T: ${why}`]);
  },
);
