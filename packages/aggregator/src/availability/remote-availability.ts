import { Buffer } from 'node:buffer';
import { X509Certificate } from 'node:crypto';
import type { APIService } from '@apiserver/api/apiregistration/v1';
import type { Service } from '@apiserver/api/core/v1';
import type { EndpointSlice } from '@apiserver/api/discovery/v1';
import { type Clock, repeat, sleep } from '@apiserver/apimachinery/clock';
import { errorOf, messageOf } from '@apiserver/apimachinery/errors';
import { once } from '@apiserver/apimachinery/lazy';
import type { Informer } from '@apiserver/apiserver-contracts';
import { runWorkQueue } from '@apiserver/component-base/work-queue';
import type { BackendTransport } from '@apiserver/proxy';
import type { NewCondition } from '../api-service/conditions.js';
import { fetchDocument } from '../proxy/fetch-document.js';
import { KeptTransports, type ProxyCertificate } from '../proxy/kept-transports.js';
import { targetOf } from '../proxy/remote-api-services.js';
import {
  readyAddresses,
  SERVICE_NAME_LABEL,
  type ServiceResolver,
  type ServiceTarget,
  slicesOf,
} from '../proxy/service-resolver.js';
import type { AvailabilityOptions } from './local-availability.js';
import { updateAvailability } from './update-availability.js';

const MAX_RETRY_MS = 30_000;
const RESYNC_MS = 30_000;
/** APIServices that are checked at once, as upstream. */
const WORKERS = 5;
const CONNECT_TIMEOUT_MS = 5_000;
/**
 * Upstream sends five requests at once, and one success is enough. The first one usually succeeds, so the others wait
 * for it.
 */
const MORE_ATTEMPTS = 4;
/** The others wait so long at most: a server that is out of reach so takes six seconds, upstream's longest time. */
const FIRST_ATTEMPT_MS = 1_000;

/** Dependencies of `runRemoteAvailability`. */
export interface RemoteAvailabilityOptions extends AvailabilityOptions {
  /** Followed once an APIService with a service exists. */
  readonly services: Informer<Service>;
  readonly endpointSlices: Informer<EndpointSlice>;
  readonly resolve: ServiceResolver;
  readonly certificate: () => ProxyCertificate;
}

/**
 * Checks whether the server of every APIService with a service responds, and writes the condition. It checks when the
 * service or its endpoints change, and every 30 seconds, because network failures cause no event. Ends with the
 * signal.
 * Upstream: k8s.io/kube-aggregator/pkg/controllers/status/remote/remote_available_controller.go
 */
export function runRemoteAvailability(options: RemoteAvailabilityOptions, signal: AbortSignal): void {
  const { informer, clock, logger, certificate } = options;
  const transports = new KeptTransports({ certificate, connectTimeout: CONNECT_TIMEOUT_MS });
  const queue = runWorkQueue({
    name: 'RemoteAvailabilityController',
    sync: (name) => sync({ ...options, transports }, name),
    longestRetryMilliseconds: MAX_RETRY_MS,
    workers: WORKERS,
    ...(options.queueMetrics && { metrics: options.queueMetrics }),
    clock,
    logger,
    signal,
  });
  const remotes = (): readonly APIService[] => informer.list().filter((one) => one.spec.service !== undefined);
  const ofService = (namespace: string | undefined, name: string | undefined): void => {
    for (const { metadata, spec } of remotes()) {
      if (spec.service?.namespace === namespace && spec.service?.name === name) queue.add(metadata.name ?? '');
    }
  };
  const follow = once(() => followServices(options, ofService, signal));
  const changed = ({ metadata, spec }: APIService): void => {
    if (spec.service === undefined) return;
    follow();
    queue.add(metadata.name ?? '');
  };
  const deleted = (apiService: APIService): void => transports.forget(apiService);
  const resync = (): void => {
    for (const { metadata } of remotes()) queue.add(metadata.name ?? '');
  };
  repeat(clock, RESYNC_MS, resync, signal);
  signal.addEventListener('abort', informer.subscribe({ added: changed, updated: changed, deleted }), { once: true });
}

function followServices(
  { services, endpointSlices }: RemoteAvailabilityOptions,
  changed: (namespace: string | undefined, name: string | undefined) => void,
  signal: AbortSignal,
): void {
  const service = ({ metadata: { namespace, name } }: Service): void => changed(namespace, name);
  const slice = ({ metadata: { namespace, labels } }: EndpointSlice): void =>
    changed(namespace, labels?.[SERVICE_NAME_LABEL]);
  const off = [
    services.subscribe({ added: service, updated: service, deleted: service }),
    endpointSlices.subscribe({ added: slice, updated: slice, deleted: slice }),
  ];
  signal.addEventListener(
    'abort',
    () => {
      for (const unsubscribe of off) unsubscribe();
    },
    { once: true },
  );
}

/** Dependencies of one check. */
interface CheckOptions extends RemoteAvailabilityOptions {
  readonly transports: KeptTransports;
}

/**
 * Throws the failure of the server's own discovery, so that the queue retries it soon. An unusable bundle of
 * authorities leaves the condition as it is.
 */
async function sync(options: CheckOptions, name: string): Promise<void> {
  const { informer, services, endpointSlices } = options;
  const apiService = informer.get('', name);
  const target = apiService && targetOf(apiService);
  if (apiService === undefined || target === undefined) return;
  await Promise.all([services.synced(), endpointSlices.synced()]);
  const obstacle = obstacleTo(options, target);
  if (obstacle !== undefined) return updateAvailability(options, apiService, obstacle);
  const fault = authorityFault(apiService.spec.caBundle);
  if (fault !== undefined) throw new Error(`unable to load root certificates: ${fault}`);
  const failure = await failureOf(options, apiService, target);
  if (failure === undefined) {
    return updateAvailability(options, apiService, { status: 'True', reason: 'Passed', message: 'all checks passed' });
  }
  await updateAvailability(options, apiService, unavailable('FailedDiscoveryCheck', failure.message));
  throw failure;
}

function unavailable(reason: string, message: string): NewCondition {
  return { status: 'False', reason, message };
}

/** The reason in the cluster's objects why a service is unavailable. */
function obstacleTo({ services, endpointSlices }: RemoteAvailabilityOptions, target: ServiceTarget) {
  const { namespace, name, port } = target;
  const where = `service/${name} in "${namespace}"`;
  const service = services.get(namespace, name);
  if (service === undefined) return unavailable('ServiceNotFound', `${where} is not present`);
  if (service.spec.type !== 'ClusterIP') return undefined;
  const servicePort = (service.spec.ports ?? []).find(({ port: number }) => number === port);
  if (servicePort === undefined) return unavailable('ServicePortError', `${where} is not listening on port ${port}`);
  const slices = slicesOf(endpointSlices, target);
  if (slices.length === 0) return unavailable('EndpointsNotFound', `cannot find endpointslices for ${where}`);
  const { name: portName = '' } = servicePort;
  if (slices.some((slice) => readyAddresses(slice, portName).length > 0)) return undefined;
  return unavailable('MissingEndpoints', `endpointslices for ${where} have no addresses with port name "${portName}"`);
}

/** The reason why a bundle has no certificate; undefined for an absent one. Upstream: transport.New */
function authorityFault(caBundle = ''): string | undefined {
  const [, ...certificates] = Buffer.from(caBundle, 'base64').toString().split('-----BEGIN CERTIFICATE-----');
  if (caBundle === '' || certificates.some(isCertificate)) return undefined;
  return certificates.length === 0 ? 'unable to parse bytes as PEM block' : 'failed to parse certificate';
}

function isCertificate(text: string): boolean {
  try {
    return new X509Certificate(`-----BEGIN CERTIFICATE-----${text}`).serialNumber !== '';
  } catch {
    return false;
  }
}

/** The last failure of all attempts; undefined as soon as the server responds to one. */
async function failureOf(
  options: CheckOptions,
  apiService: APIService,
  target: ServiceTarget,
): Promise<Error | undefined> {
  // Once, for the APIService may be deleted meanwhile.
  const transport = options.transports.transportTo(apiService, target);
  const attempt = () => failureOfAttempt(options.resolve, apiService, { target, transport });
  const first = attempt();
  if ((await isSoonOver(first, options.clock)) && (await first) === undefined) return undefined;
  const attempts = [first, ...Array.from({ length: MORE_ATTEMPTS }, attempt)];
  const successes = attempts.map(async (one) => {
    const failure = await one;
    if (failure !== undefined) throw failure;
  });
  try {
    await Promise.any(successes);
    return undefined;
  } catch {
    return (await Promise.all(attempts)).at(-1);
  }
}

async function isSoonOver(attempt: Promise<unknown>, clock: Clock): Promise<boolean> {
  const over = new AbortController();
  const isOver = attempt.then(() => true);
  const isLate = sleep(clock, FIRST_ATTEMPT_MS, over.signal).then(() => false);
  try {
    return await Promise.race([isOver, isLate]);
  } finally {
    over.abort();
  }
}

/** Each attempt resolves the service again, and may reach another endpoint. */
async function failureOfAttempt(
  resolve: ServiceResolver,
  { metadata, spec }: APIService,
  { target, transport }: { readonly target: ServiceTarget; readonly transport: BackendTransport },
): Promise<Error | undefined> {
  const path = metadata.name === 'v1.' ? `/api/${spec.version}` : `/apis/${spec.group}/${spec.version}`;
  try {
    const address = resolve(target);
    const url = `https://${address.hostname}:${address.port}${path}`;
    try {
      const { status } = await fetchDocument({ address, transport, path, accept: 'application/json' });
      if (status >= 200 && status < 300) return undefined;
      return new Error(`failing or missing response from ${url}: bad status from ${url}: ${status}`);
    } catch (error) {
      return new Error(`failing or missing response from ${url}: ${messageOf(error)}`);
    }
  } catch (error) {
    return errorOf(error);
  }
}
