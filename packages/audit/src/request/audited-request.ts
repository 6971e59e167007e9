import { Buffer } from 'node:buffer';
import type { ObjectMeta, Status } from '@apiserver/apimachinery';
import { inSlices, TimeSlice } from '@apiserver/apimachinery/clock';
import type {
  AuditedJson,
  AuditedLayer,
  AuthorizationAttributes,
  Exchange,
  RequestAudit,
  UserInfo,
} from '@apiserver/apiserver-contracts';
import { formatGoDuration } from '@apiserver/component-base/flags';
import type { AuditBackend } from '../backends/audit-backend.js';
import type { AuditMetrics } from '../backends/audit-metrics.js';
import { type AuditedStatus, type AuditStage, isAtLeast, type ObjectReference } from '../event/audit-event.js';
import { AuditRecord, EncodedFacts } from '../event/audit-record.js';
import { patchJson } from '../event/patch-json.js';
import { sourceAddresses } from '../event/source-addresses.js';
import { withoutManagedFields } from '../event/without-managed-fields.js';
import type { RequestAuditConfig } from '../policy/policy-evaluator.js';

/** Milliseconds from which on an event shows the time of layers. Upstream: writeLatencyToAnnotation */
const SLOW_REQUEST_MS = 500;
const LATENCY = 'apiserver.latency.k8s.io/';

const MAX_USER_AGENT = 1024;
const TRUNCATED = '...TRUNCATED';

/** The destination of events. */
export interface AuditSink {
  readonly backend: AuditBackend;
  readonly metrics: AuditMetrics;
}

/**
 * The events of one request. Before `begin` it only keeps annotations, which authenticators may add.
 * Upstream: k8s.io/apiserver/pkg/audit.AuditContext
 */
export class AuditedRequest implements RequestAudit {
  readonly #sink: AuditSink;
  #config: RequestAuditConfig | undefined = undefined;
  #facts: EncodedFacts | undefined = undefined;
  #startedAt = 0;
  #impersonatedUser: UserInfo | undefined = undefined;
  #constraint = '';
  #objectRef: Readonly<ObjectReference> | undefined = undefined;
  #status: AuditedStatus | undefined = undefined;
  #requestSource: AuditedJson | undefined = undefined;
  #requestObject: readonly Uint8Array[] | undefined = undefined;
  #responseSource: AuditedJson | undefined = undefined;
  #responseObject: readonly Uint8Array[] | undefined = undefined;
  #annotations: Map<string, string> | undefined = undefined;
  /** Layers and their milliseconds in turn: few requests have more than five. */
  readonly #layers: AuditedLayer[] = [];
  readonly #spent: number[] = [];
  #isWatch = false;
  wantsRequestObject = false;
  wantsResponseObject = false;

  constructor(sink: AuditSink) {
    this.#sink = sink;
  }

  /** Starts the events of a request with an evaluated policy of at least Metadata. */
  begin(exchange: Exchange, attributes: Omit<AuthorizationAttributes, 'user'>, config: RequestAuditConfig): void {
    const { request, context, responseHeaders } = exchange;
    const userAgent = request.headers.get('user-agent') ?? '';
    this.#config = config;
    this.#startedAt = context.startedAt;
    this.#isWatch = attributes.verb === 'watch';
    this.wantsRequestObject = isAtLeast(config.level, 'Request');
    this.wantsResponseObject = config.level === 'RequestResponse';
    this.#facts = new EncodedFacts({
      level: config.level,
      auditID: responseHeaders.get('audit-id') ?? '',
      requestURI: request.url,
      verb: attributes.verb,
      user: context.user,
      sourceIPs: sourceAddresses(request),
      userAgent: userAgent.length > MAX_USER_AGENT ? userAgent.slice(0, MAX_USER_AGENT) + TRUNCATED : userAgent,
      receivedAt: context.receivedAt,
    });
    if (attributes.isResourceRequest) {
      const { namespace, name, resource, subresource, apiGroup, apiVersion } = attributes;
      this.#objectRef = { namespace, name, resource, subresource, apiGroup, apiVersion, uid: '', resourceVersion: '' };
    }
  }

  annotate(key: string, value: string): void {
    this.#annotations ??= new Map();
    if (!this.#annotations.has(key)) this.#annotations.set(key, value);
  }

  spend(layer: AuditedLayer, milliseconds: number): void {
    const at = this.#layers.indexOf(layer);
    if (at >= 0) this.#spent[at] = (this.#spent[at] ?? 0) + milliseconds;
    else {
      this.#layers.push(layer);
      this.#spent.push(milliseconds);
    }
  }

  /** Adds the latencies to the event of a slow request. A watch is meant to take long. */
  addLatencies(): void {
    const { elapsed } = this;
    if (elapsed <= SLOW_REQUEST_MS || this.#layers.length === 0 || this.#isWatch) return;
    for (const [at, layer] of this.#layers.entries()) {
      this.annotate(LATENCY + layer, formatGoDuration(this.#spent[at] ?? 0));
    }
    this.annotate(`${LATENCY}total`, formatGoDuration(elapsed));
  }

  impersonate(user: UserInfo, constraint: string): void {
    this.#impersonatedUser = user;
    this.#constraint = constraint;
  }

  requestTarget(metadata: Partial<ObjectMeta>): void {
    const ref = this.#objectRef ?? NO_OBJECT;
    // Events share the encoding of a reference, so it does not change.
    this.#objectRef = {
      ...ref,
      namespace: ref.namespace || (metadata.namespace ?? ''),
      name: ref.name || (metadata.name ?? ''),
      uid: ref.uid || (metadata.uid ?? ''),
      resourceVersion: ref.resourceVersion || (metadata.resourceVersion ?? ''),
    };
  }

  requestObject(json: Uint8Array): void {
    this.#requestObject = [json];
  }

  requestPatch(bytes: Uint8Array): void {
    if (this.wantsRequestObject) this.#requestSource = patchJson(bytes);
  }

  responseStatus({ status, message, reason, details, code }: Partial<Status>): void {
    this.#status = {
      ...(status !== undefined && { status }),
      ...(message !== undefined && { message }),
      ...(reason !== undefined && { reason }),
      ...(details !== undefined && { details }),
      ...(code !== undefined && { code }),
    };
  }

  responseObject(json: AuditedJson): void {
    this.#responseSource = json;
  }

  /** Sets the code of the response. */
  responded(code: number): void {
    this.#status = { ...this.#status, code };
  }

  /** Milliseconds since the request was received. */
  get elapsed(): number {
    return performance.now() - this.#startedAt;
  }

  /** Sends the event of a stage, unless the policy omits it. */
  process(stage: AuditStage): boolean | Promise<boolean> {
    if (this.#facts === undefined || this.#config?.omitStages.has(stage)) {
      if (stage === 'ResponseComplete') this.#forgetBodies();
      return true;
    }
    if (this.#requestSource === undefined && this.#responseSource === undefined) return this.#send(this.#facts, stage);
    const facts = this.#facts;
    return this.#collectBodies().then(() => this.#send(facts, stage));
  }

  async #collectBodies(): Promise<void> {
    const [request, response] = [this.#requestSource, this.#responseSource];
    this.#requestSource = undefined;
    this.#responseSource = undefined;
    if (request !== undefined) this.#requestObject = await collectInTurns(request);
    if (response === undefined) return;
    const parts = await collectInTurns(response);
    if (this.#config?.omitManagedFields !== true) this.#responseObject = parts;
    else this.#responseObject = [await inSlices(withoutManagedFields(oneBuffer(parts)))];
  }

  #send(facts: EncodedFacts, stage: AuditStage): boolean | Promise<boolean> {
    const { receivedAt } = facts.facts;
    const record = new AuditRecord(facts, {
      stage,
      stageAt: stage === 'RequestReceived' ? receivedAt : receivedAt + this.elapsed,
      impersonatedUser: this.#impersonatedUser,
      impersonationConstraint: this.#constraint,
      objectRef: this.#objectRef,
      responseStatus: this.#status,
      requestObject: this.#requestObject,
      responseObject: this.#responseObject,
      annotations: this.#annotations,
    });
    if (stage === 'ResponseComplete') this.#forgetBodies();
    this.#sink.metrics.event();
    return this.#sink.backend.process([record]);
  }

  /** A connection that the request has opened may keep the request in memory. */
  #forgetBodies(): void {
    this.#requestSource = undefined;
    this.#responseSource = undefined;
    this.#requestObject = undefined;
    this.#responseObject = undefined;
  }
}

const NO_OBJECT: Readonly<ObjectReference> = {
  resource: '',
  namespace: '',
  name: '',
  uid: '',
  apiGroup: '',
  apiVersion: '',
  resourceVersion: '',
  subresource: '',
};

async function collectInTurns(source: AuditedJson): Promise<Uint8Array[]> {
  const slice = new TimeSlice();
  const parts: Uint8Array[] = [];
  for (const part of source) {
    if (!(part instanceof Uint8Array)) {
      await part;
      continue;
    }
    parts.push(part);
    if (slice.overAt(parts.length, 64, part.length)) await slice.yield();
  }
  return parts;
}

function oneBuffer(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts;
  return only !== undefined && parts.length === 1 ? only : Buffer.concat(parts);
}
