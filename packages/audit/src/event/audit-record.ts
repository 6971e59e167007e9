import { Buffer } from 'node:buffer';
import { quote } from '@apiserver/apimachinery/text';
import { formatMicroTime } from '@apiserver/apimachinery/values';
import { type AuditLevel, type EventState, isAtLeast, type ObjectReference, type RequestFacts } from './audit-event.js';
import { annotationsJson, jsonText, jsonTexts, objectRefJson, statusJson, userJson } from './event-json.js';

/** The key of the annotation of a truncated event. */
const TRUNCATED = 'audit.k8s.io/truncated';

/** The constant parts of a request's events in JSON, made once. */
export class EncodedFacts {
  readonly facts: RequestFacts;
  readonly level: string;
  readonly request: string;
  readonly origin: string;
  readonly received: string;
  readonly receivedTime: string;
  #ref: Readonly<ObjectReference> | undefined = undefined;
  #refJson = '';

  constructor(facts: RequestFacts) {
    const { level, auditID, requestURI, verb, user, sourceIPs, userAgent, receivedAt } = facts;
    this.facts = facts;
    this.level = `"level":"${level}","auditID":${jsonText(auditID)},"stage":"`;
    this.request = `","requestURI":${jsonText(requestURI)},"verb":${jsonText(verb)},"user":${userJson(user)}`;
    this.origin =
      (sourceIPs.length === 0 ? '' : `,"sourceIPs":${jsonTexts(sourceIPs)}`) +
      (userAgent === '' ? '' : `,"userAgent":${jsonText(userAgent)}`);
    this.receivedTime = formatMicroTime(receivedAt);
    this.received = `,"requestReceivedTimestamp":"${this.receivedTime}","stageTimestamp":"`;
  }

  /** The JSON of a reference. Most requests have the same one in all events. */
  objectRef(ref: Readonly<ObjectReference>): string {
    if (ref !== this.#ref) {
      this.#ref = ref;
      this.#refJson = objectRefJson(ref);
    }
    return this.#refJson;
  }
}

/** One event, encoded: it does not change with the request. Upstream: audit.k8s.io/v1 Event */
export class AuditRecord {
  readonly #facts: EncodedFacts;
  readonly #state: EventState;
  readonly #head: string;
  readonly #tail: string;
  #byteLength: number | undefined = undefined;

  constructor(facts: EncodedFacts, state: EventState) {
    const { stage, stageAt, impersonatedUser, impersonationConstraint, objectRef, responseStatus } = state;
    this.#facts = facts;
    this.#state = state;
    let head = facts.level + stage + facts.request;
    if (impersonatedUser !== undefined) head += `,"impersonatedUser":${userJson(impersonatedUser)}`;
    if (impersonationConstraint !== '') {
      head += `,"authenticationMetadata":{"impersonationConstraint":${jsonText(impersonationConstraint)}}`;
    }
    head += facts.origin;
    if (objectRef !== undefined) head += `,"objectRef":${facts.objectRef(objectRef)}`;
    if (responseStatus !== undefined) head += `,"responseStatus":${statusJson(responseStatus)}`;
    this.#head = head;
    const { annotations } = state;
    const shown = annotations === undefined || annotations.size === 0 ? '' : annotationsJson(annotations);
    const time = stageAt === facts.facts.receivedAt ? facts.receivedTime : formatMicroTime(stageAt);
    this.#tail = `${facts.received}${time}"${shown === '' ? '' : `,"annotations":${shown}`}`;
  }

  get level(): AuditLevel {
    return this.#facts.facts.level;
  }

  /** True if the bodies of the request or the response may be in it. */
  get hasObjects(): boolean {
    return isAtLeast(this.level, 'Request');
  }

  /** The members of the event after kind and apiVersion, without braces. */
  members(): readonly (string | Uint8Array)[] {
    const { requestObject, responseObject } = this.#state;
    if (requestObject === undefined && responseObject === undefined) return [this.#head + this.#tail];
    const parts: (string | Uint8Array)[] = [this.#head];
    if (requestObject !== undefined) parts.push(',"requestObject":', ...requestObject);
    if (responseObject !== undefined) parts.push(',"responseObject":', ...responseObject);
    parts.push(this.#tail);
    return parts;
  }

  /** Bytes of `members`. */
  get byteLength(): number {
    this.#byteLength ??= this.members().reduce((sum, part) => sum + Buffer.byteLength(part), 0);
    return this.#byteLength;
  }

  /** The same event without bodies, and marked as truncated. */
  truncated(): AuditRecord {
    const annotations = new Map(this.#state.annotations).set(TRUNCATED, 'true');
    const state = { ...this.#state, requestObject: undefined, responseObject: undefined, annotations };
    return new AuditRecord(this.#facts, state);
  }

  /** The event as one line of text. Upstream: EventString of k8s.io/apiserver/pkg/audit/format.go */
  get line(): string {
    const { auditID, receivedAt, requestURI, sourceIPs, user, userAgent, verb } = this.#facts.facts;
    const { impersonatedUser, objectRef, responseStatus, stage } = this.#state;
    const groups = user === undefined || user.name === '' || user.groups.length === 0 ? '<none>' : quoted(user.groups);
    const fields = [
      `id=${quote(auditID)}`,
      `stage=${quote(stage)}`,
      `ip=${quote(sourceIPs[0] ?? '<unknown>')}`,
      `method=${quote(verb)}`,
      `user=${quote(user?.name || '<none>')}`,
      `groups=${quote(groups)}`,
      `as=${quote(impersonatedUser?.name ?? '<self>')}`,
      `asgroups=${quote(impersonatedUser === undefined ? '<lookup>' : quoted(impersonatedUser.groups))}`,
      `user-agent=${quote(userAgent)}`,
      `namespace=${quote(objectRef?.namespace || '<none>')}`,
      `uri=${quote(requestURI)}`,
      `response="${responseStatus === undefined ? '<deferred>' : (responseStatus.code ?? 0)}"`,
    ];
    return `${nanoTime(receivedAt)} AUDIT: ${fields.join(' ')}`;
  }
}

function quoted(texts: readonly string[]): string {
  return texts.map((text) => quote(text)).join(',');
}

/** Go's RFC3339Nano, which drops zeros at the end of the fraction. */
function nanoTime(milliseconds: number): string {
  return formatMicroTime(milliseconds).replace(/\.?0+Z$/, 'Z');
}
