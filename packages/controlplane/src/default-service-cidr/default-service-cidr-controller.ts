import type { ServiceCIDR } from '@apiserver/api/networking/v1';
import { type Clock, sleep } from '@apiserver/apimachinery/clock';
import { isAlreadyExists, messageOf } from '@apiserver/apimachinery/errors';
import { cloneJson } from '@apiserver/apimachinery/json';
import { formatTime } from '@apiserver/apimachinery/values';
import type { Informer, Logger, ResourceClient } from '@apiserver/apiserver-contracts';
import type { ControllerContext, ControllerHook } from '../controller-hook.js';
import type { EventRecorder } from '../events/event-recorder.js';
import { SERVICE_CIDRS } from '../service-ip-allocator/service-networks.js';

/** Upstream: DefaultServiceCIDRName */
export const DEFAULT_SERVICE_CIDR = 'kubernetes';
/** Upstream: the interval of pkg/controlplane/controller/defaultservicecidr */
const SYNC_MS = 10_000;
const RETRY_MS = 100;
const CONTROLLER_NAME = 'kubernetes-service-cidr-controller';
const ERROR = 'KubernetesDefaultServiceCIDRError';
const READY = 'Ready';

/** Dependencies of the controller. */
export interface DefaultServiceCIDROptions {
  /** In canonical form, primary first. Upstream flag: --service-cluster-ip-range */
  readonly cidrs: readonly string[];
  /** The informer of all ServiceCIDRs. */
  readonly informer: Informer<ServiceCIDR>;
  readonly events: EventRecorder;
  /** Resolves when the server is ready. The status waits for it; readiness does not depend on the status. */
  whenReady(): Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Creates the ServiceCIDR of the server's own networks, and recreates it after a deletion. Adds the second network if
 * the server became dual-stack; other differences are only reported.
 * Upstream: pkg/controlplane/controller/defaultservicecidr
 */
export function defaultServiceCIDRController(options: DefaultServiceCIDROptions): ControllerHook {
  return {
    name: 'start-kubernetes-service-cidr-controller',
    async run(context) {
      const { informer, whenReady, clock, logger } = options;
      const { signal } = context;
      const controller = new DefaultServiceCIDR(context, options);
      const attempt = async (work: () => Promise<unknown>) => {
        try {
          await work();
          return true;
        } catch (error) {
          if (!signal.aborted) logger.error(error, 'Unable to sync the default ServiceCIDR');
          return false;
        }
      };
      await informer.synced(signal).catch(() => {});
      while (!signal.aborted && !(await attempt(() => controller.ensure()))) {
        await sleep(clock, RETRY_MS, signal);
      }
      void (async () => {
        await whenReady().catch(() => {});
        while (!signal.aborted) {
          await attempt(() => controller.sync());
          await sleep(clock, SYNC_MS, signal);
        }
      })();
    },
  };
}

class DefaultServiceCIDR {
  readonly #options: DefaultServiceCIDROptions;
  readonly #client: ResourceClient<ServiceCIDR>;
  /** Reported once each: different networks, and a False condition Ready. */
  #reportedDifference = false;
  #reportedNotReady = false;

  constructor({ loopbackClient }: ControllerContext, options: DefaultServiceCIDROptions) {
    this.#options = options;
    this.#client = loopbackClient.resource<ServiceCIDR>(SERVICE_CIDRS);
  }

  /** Creates it if it is missing. */
  async ensure(): Promise<ServiceCIDR> {
    const { informer, cidrs, events, logger } = this.#options;
    const known = informer.get('', DEFAULT_SERVICE_CIDR);
    if (known !== undefined) return known;
    logger.info('Creating default ServiceCIDR', { cidrs });
    const wanted = newServiceCIDR(cidrs);
    try {
      return await this.#client.create('', wanted);
    } catch (error) {
      if (isAlreadyExists(error)) return this.#client.get('', DEFAULT_SERVICE_CIDR);
      this.#warn(events, wanted, ERROR, 'The default ServiceCIDR can not be created');
      throw error;
    }
  }

  async sync(): Promise<void> {
    const { cidrs } = this.#options;
    const serviceCIDR = await this.ensure();
    const { cidrs: current = [] } = serviceCIDR.spec;
    if (cidrs.length === 2 && current.length === 1 && current[0] === cidrs[0]) await this.#addFamily(serviceCIDR);
    else await this.#syncStatus(serviceCIDR);
  }

  async #addFamily(serviceCIDR: ServiceCIDR): Promise<void> {
    const { cidrs, events, logger } = this.#options;
    const changed = cloneJson(serviceCIDR) as ServiceCIDR;
    changed.spec.cidrs = [...cidrs];
    logger.info('Updating default ServiceCIDR from single-stack to dual-stack', { cidrs });
    try {
      await this.#client.update('', changed);
    } catch (error) {
      const reason = messageOf(error);
      const networks = `from ${cidrs[0]} to dual stack ${listed(cidrs)}`;
      logger.warning('The default ServiceCIDR can not be updated to dual stack', { cidrs, err: reason });
      const note = `The default ServiceCIDR can not be upgraded ${networks} : ${reason}`;
      this.#warn(events, serviceCIDR, ERROR, note);
    }
  }

  /**
   * Leaves a ServiceCIDR under deletion to kube-controller-manager, and a False condition to the controller that set
   * it.
   */
  async #syncStatus(serviceCIDR: ServiceCIDR): Promise<void> {
    if (serviceCIDR.metadata.deletionTimestamp) return;
    if (!sameTexts(this.#options.cidrs, serviceCIDR.spec.cidrs ?? [])) return this.#reportDifference(serviceCIDR);
    const ready = serviceCIDR.status.conditions?.find(({ type }) => type === READY);
    if (ready?.status === 'True') return;
    if (ready?.status !== 'False') return this.#setReady(serviceCIDR);
    if (this.#reportedNotReady) return;
    this.#reportedNotReady = true;
    const { events, logger } = this.#options;
    logger.info('Default ServiceCIDR condition Ready is False, but controller configuration matches', {
      reason: ready.reason,
      message: ready.message,
    });
    this.#warn(events, serviceCIDR, ready.reason, `Configuration matches, but ${ready.message}`);
  }

  #reportDifference(serviceCIDR: ServiceCIDR): void {
    if (this.#reportedDifference) return;
    this.#reportedDifference = true;
    const { cidrs, events, logger } = this.#options;
    const current = serviceCIDR.spec.cidrs ?? [];
    logger.info('The default ServiceCIDR has other networks than this server. Change the flags or delete it', {
      cidrs,
      current,
    });
    const note = `The default ServiceCIDR ${listed(current)} does not match the controller flag configurations ${listed(cidrs)}`;
    this.#warn(events, serviceCIDR, 'KubernetesDefaultServiceCIDRInconsistent', note);
  }

  async #setReady(serviceCIDR: ServiceCIDR): Promise<void> {
    const { clock, events, logger } = this.#options;
    logger.info('Setting default ServiceCIDR condition Ready to True');
    try {
      await this.#client.apply('', readyStatus(clock.now()), {
        fieldManager: CONTROLLER_NAME,
        force: true,
        subresource: 'status',
      });
    } catch (error) {
      logger.error(error, 'Error updating default ServiceCIDR status');
      this.#warn(events, serviceCIDR, ERROR, 'The default ServiceCIDR Status can not be set to Ready=True');
    }
  }

  #warn(events: EventRecorder, serviceCIDR: ServiceCIDR, reason: string, note: string): void {
    events.warn(serviceCIDR, { reason, note, action: '' });
  }
}

function newServiceCIDR(cidrs: readonly string[]): ServiceCIDR {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'ServiceCIDR',
    metadata: { name: DEFAULT_SERVICE_CIDR },
    spec: { cidrs: [...cidrs] },
    status: {},
  };
}

function readyStatus(now: number) {
  const condition = {
    type: READY,
    status: 'True',
    message: 'Kubernetes default Service CIDR is ready',
    lastTransitionTime: formatTime(now),
  };
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'ServiceCIDR',
    metadata: { name: DEFAULT_SERVICE_CIDR },
    status: { conditions: [condition] },
  };
}

/** Formats a list of strings as Go does. */
function listed(texts: readonly string[]): string {
  return `[${texts.join(' ')}]`;
}

function sameTexts(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((text, i) => text === b[i]);
}
