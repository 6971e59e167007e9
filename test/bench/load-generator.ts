// The load's own process: it takes jobs from its parent and answers with what it measured, so that neither the parent
// nor the server pays for the clients.
import { readCredentials } from '../harness/admin-client.ts';
import type { Measurement } from './measurement.ts';
import { runScenario, type ScenarioName } from './scenarios.ts';
import { openTransport, type Protocol, type Transport } from './transport.ts';

export interface Job {
  readonly kubeconfig: string;
  readonly protocol: Protocol;
  readonly scenario: ScenarioName;
  readonly namespace: string;
  readonly objects: number;
}
export type JobResult = { readonly measurement: Measurement } | { readonly error: string };

/** Streams share few connections; HTTP/1.1 needs one for every request under way. */
const connections: Readonly<Record<Protocol, number>> = { h2: 4, 'http/1.1': 200 };

/** Kept from job to job: handshakes cost a server as much as some dozens of requests. */
const transports = new Map<string, Transport>();

function transportOf({ kubeconfig, protocol }: Job): Transport {
  const key = `${protocol} ${kubeconfig}`;
  let transport = transports.get(key);
  if (transport === undefined) {
    transport = openTransport(protocol, {
      credentials: readCredentials(kubeconfig),
      connections: connections[protocol],
    });
    transports.set(key, transport);
  }
  return transport;
}

async function run(job: Job): Promise<JobResult> {
  try {
    return { measurement: await runScenario(job.scenario, { ...job, transport: transportOf(job) }) };
  } catch (error) {
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

process.on('message', (job: Job) => {
  run(job).then(
    (result) => process.send?.(result),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
