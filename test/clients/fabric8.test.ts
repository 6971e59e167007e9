import { expect, it } from 'vitest';
import { startApiServer } from '../harness/api-server.ts';
import { JavaProject } from './java-project.ts';

const project = new JavaProject('fabric8');
const missing = project.missing();

it.skipIf(missing !== undefined)(
  `fabric8’s client (Java) loads the kubeconfig, lists, creates and reads${missing ? ` (skipped: ${missing})` : ''}`,
  { timeout: 120_000 },
  async () => {
    await using server = await startApiServer();
    expect(await project.run('UseServer.java', server.kubeconfig)).toEqual([
      'default',
      'kube-node-lease',
      'kube-public',
      'kube-system',
      'Java',
    ]);
  },
);
