import { Buffer } from 'node:buffer';
import type { ObjectMeta, Status } from '@apiserver/apimachinery';
import { inSlices, TimeSlice } from '@apiserver/apimachinery/clock';
import type {
  AuditedJson,
  AuthorizationAttributes,
  Exchange,
  RequestAudit,
  UserInfo,
} from '@apiserver/apiserver-contracts';
import type { AuditBackend } from '../backends/audit-backend.js';
import type { AuditMetrics } from '../backends/audit-metrics.js';
import { type AuditedStatus, type AuditStage, isAtLeast, type ObjectReference } from '../event/audit-event.js';
import { AuditRecord, EncodedFacts } from '../event/audit-record.js';
import { patchJson } from '../event/patch-json.js';
import { sourceAddresses } from '../event/source-addresses.js';
import { withoutManagedFields } from '../event/without-managed-fields.js';
import type { RequestAuditConfig } from '../policy/policy-evaluator.js';

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
  #objectRef: ObjectReference | undefined = undefined;
  #status: AuditedStatus | undefined = undefined;
  #requestObject: readonly Uint8Array[] | undefined = undefined;
  #responseSource: AuditedJson | undefined = undefined;
  #responseObject: readonly Uint8Array[] | undefined = undefined;
  #annotations: Map<string, string> | undefined = undefined;
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

  impersonate(user: UserInfo, constraint: string): void {
    this.#impersonatedUser = user;
    this.#constraint = constraint;
  }

  requestTarget(metadata: Partial<ObjectMeta>): void {
    this.#objectRef ??= { ...NO_OBJECT };
    const ref = this.#objectRef;
    if (ref.namespace === '') ref.namespace = metadata.namespace ?? '';
    if (ref.name === '') ref.name = metadata.name ?? '';
    if (ref.uid === '') ref.uid = metadata.uid ?? '';
    if (ref.resourceVersion === '') ref.resourceVersion = metadata.resourceVersion ?? '';
  }

  requestObject(json: Uint8Array): void {
    this.#requestObject = [json];
  }

  requestPatch(bytes: Uint8Array): void {
    if (this.wantsRequestObject) this.#requestObject = [patchJson(bytes)];
  }

  responseStatus({ status, message, reason, details, code }: Status): void {
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

  /** True once a response has begun. */
  get hasResponded(): boolean {
    return this.#status !== undefined;
  }

  /** Milliseconds since the request was received. */
  get elapsed(): number {
    return performance.now() - this.#startedAt;
  }

  /** Sends the event of a stage, unless the policy omits it. */
  process(stage: AuditStage): boolean | Promise<boolean> {
    const source = this.#responseSource;
    if (source === undefined || this.#config?.omitStages.has(stage)) return this.#send(stage);
    this.#responseSource = undefined;
    const collected = this.#collect(source);
    if (!(collected instanceof Promise)) {
      this.#responseObject = collected;
      return this.#send(stage);
    }
    return collected.then((parts) => {
      this.#responseObject = parts;
      return this.#send(stage);
    });
  }

  #send(stage: AuditStage): boolean | Promise<boolean> {
    const facts = this.#facts;
    if (facts === undefined || this.#config?.omitStages.has(stage)) return true;
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
    this.#sink.metrics.event();
    return this.#sink.backend.process([record]);
  }

  /** One object is taken at once; a list in turns of the event loop. */
  #collect(source: AuditedJson): readonly Uint8Array[] | Promise<readonly Uint8Array[]> {
    const omits = this.#config?.omitManagedFields === true;
    if (Array.isArray(source) && source.length === 1 && source[0] instanceof Uint8Array) {
      return omits ? strippedInTurns(source[0]) : [source[0]];
    }
    return collectInTurns(source).then((parts) => (omits ? strippedInTurns(Buffer.concat(parts)) : parts));
  }
}

const NO_OBJECT: Readonly<ObjectReference> = {
  ...{ resource: '', namespace: '', name: '', uid: '' },
  ...{ apiGroup: '', apiVersion: '', resourceVersion: '', subresource: '' },
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

function strippedInTurns(json: Uint8Array): readonly Uint8Array[] | Promise<readonly Uint8Array[]> {
  const stripped = inSlices(withoutManagedFields(json));
  return stripped instanceof Promise ? stripped.then((bytes) => [bytes]) : [stripped];
}
