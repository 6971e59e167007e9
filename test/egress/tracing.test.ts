import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startControlPlane } from '@apiserver/envtest';
import { expect, it } from 'vitest';
import { temporaryDirectory } from '../harness/api-server.ts';
import { OtlpReceiver } from '../tracing/otlp-receiver.ts';
import { egressFile, proxyTo } from './proxy-to.ts';

it('spans reach a collector of another network', async () => {
  using folder = temporaryDirectory('egress-tracing');
  await using receiver = await OtlpReceiver.start();
  using proxy = await proxyTo(receiver.port);
  const file = join(folder.path, 'tracing.yaml');
  const fields = 'endpoint: otel.example:4317\nsamplingRatePerMillion: 1000000';
  writeFileSync(file, `apiVersion: apiserver.config.k8s.io/v1\nkind: TracingConfiguration\n${fields}\n`);
  {
    const egress = egressFile(folder.path, proxy, ['controlplane']);
    const flags = [`--tracing-config-file=${file}`, `--egress-selector-config-file=${egress}`];
    await using plane = await startControlPlane({ controllers: [], flags });
    await plane.fetch('/api/v1/namespaces/default');
  }
  expect(receiver.spans.map(({ name }) => name)).toContain('List');
  expect(new Set(proxy.asked)).toEqual(new Set(['otel.example:4317']));
});
