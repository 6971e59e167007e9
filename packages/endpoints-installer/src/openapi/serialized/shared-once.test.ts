import { runSliced, SliceFlow, SliceShare, sliceTurn } from '@apiserver/apimachinery/clock';
import { throwingLogger } from '@apiserver/apiserver-contracts/testing';
import { expect, it } from 'vitest';
import { createTestExchange } from '../../testing/index.js';
import { createTestContainer, testResource } from '../../testing/installed-resources.js';
import { createOpenApi } from '../create-open-api.js';

const PROTOBUF = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

function work(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

/** So that a document takes several slices. */
function describeSlowly(): undefined {
  work(0.2);
}

it.each([
  ['/openapi/v2', '*/*'],
  ['/openapi/v2', PROTOBUF],
  ['/openapi/v3', '*/*'],
  ['/openapi/v3/apis/apps/v1', '*/*'],
])('%s as %s does not wait behind older requests of the client that asks first', async (url, accept) => {
  const { Deployment } = await import('@apiserver/api/apps/v1');
  const group = { group: 'apps', versions: ['v1'], resources: [testResource({ versions: [Deployment] })] };
  const container = createTestContainer([group]);
  const openApi = createOpenApi({ container, logger: throwingLogger, describe: async () => describeSlowly });
  const flow = new SliceFlow(new SliceShare({ weight: 1 }));
  const latest = performance.now() + 3_000;
  let isServed = false;
  const older = runSliced({ flow, order: 1 }, async () => {
    while (!isServed && performance.now() < latest) {
      work(3);
      await sliceTurn();
    }
    return isServed;
  });
  const exchange = createTestExchange({ url, headers: { accept } });
  await runSliced({ flow, order: 2 }, async () => openApi.handlerFor(exchange)?.(exchange));
  isServed = true;
  expect(await older).toBe(true);
});
