// The load's own process: it takes jobs from its parent and returns measurements, so that neither the parent nor the
// server pays for the clients.
import { readCredentials } from '../harness/admin-client.ts';
import type { Measurement } from './measurement.ts';
import { openTransport } from './open-transport.ts';
import { connectionsOf, type PreparedScenario, prepareScenario, type ScenarioName } from './scenarios.ts';
import type { Protocol, Transport } from './transport.ts';

export interface Job {
  readonly kubeconfig: string;
  readonly protocol: Protocol;
  readonly scenario: ScenarioName;
  readonly namespace: string;
  readonly objects: number;
}

/** Requests of the parent, step by step. Each gets a report. */
export type LoadOrder =
  | { readonly step: 'prepare'; readonly job: Job }
  | { readonly step: 'measure' }
  | { readonly step: 'close' };

export interface LoadReport {
  /** Of the step `measure`. */
  readonly measurement?: Measurement;
  readonly error?: string;
}

/** Kept from job to job: handshakes cost a server as much as some dozens of requests. */
const transports = new Map<string, Transport>();

function transportOf({ kubeconfig, protocol, scenario }: Job): Transport {
  const connections = connectionsOf(scenario, protocol);
  const key = `${protocol} ${connections} ${kubeconfig}`;
  let transport = transports.get(key);
  if (transport === undefined) {
    transport = openTransport(protocol, { credentials: readCredentials(kubeconfig), connections });
    transports.set(key, transport);
  }
  return transport;
}

let prepared: PreparedScenario | undefined;

async function follow(order: LoadOrder): Promise<LoadReport> {
  switch (order.step) {
    case 'prepare':
      prepared = await prepareScenario(order.job.scenario, { ...order.job, transport: transportOf(order.job) });
      return {};
    case 'measure':
      return prepared === undefined ? {} : { measurement: await prepared.measure() };
    case 'close':
      prepared?.close();
      return {};
  }
}

process.on('message', (order: LoadOrder) => {
  follow(order).then(
    (report) => process.send?.(report),
    (error: unknown) =>
      process.send?.({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
});
