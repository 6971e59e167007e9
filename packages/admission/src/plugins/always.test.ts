import { expect, it } from 'vitest';
import { objectAttributes, testAttributes } from '../testing/attributes.js';
import { runPlugin } from '../testing/run-plugin.js';
import { pod } from '../testing/sample-objects.js';
import { alwaysAdmit, alwaysDeny } from './always.js';

const attributes = objectAttributes('pods', pod());

it('AlwaysAdmit has no opinion', async () => {
  expect(await runPlugin(alwaysAdmit(), attributes)).toEqual({ object: pod() });
});

it('AlwaysDeny refuses everything', async () => {
  const fault = 'forbidden: admission control is denying all modifications';
  expect(await runPlugin(alwaysDeny(), attributes)).toEqual({ refused: `pods "p" is ${fault}` });
  const deletion = testAttributes({ operation: 'DELETE', name: '' });
  expect(await runPlugin(alwaysDeny(), deletion)).toEqual({ refused: `configmaps "Unknown" is ${fault}` });
});
