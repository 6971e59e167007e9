import { AsyncLocalStorage } from 'node:async_hooks';
import { attachToWork, workAttachment } from '@apiserver/apimachinery/clock';
import type { AuditedLayer, RequestAudit } from './audit.js';
import type { SpanType, TraceAttributes, TraceSpan } from './tracing.js';

/** The listeners of the work for one request. */
export interface WorkObserver {
  /** Undefined if the request is not audited. */
  readonly audit: RequestAudit | undefined;
  /** The work that goes on now. Undefined if the request is not traced. */
  readonly span: TraceSpan | undefined;
  /** The audit ID of the request as spans have it. */
  readonly auditId: string;
}

/** One for the process, as Go's context: each request has a value of its own, whatever server it belongs to. */
const observers = new AsyncLocalStorage<WorkObserver | typeof NOBODY>();
/** Hides the observer of the request. */
const NOBODY = Symbol('nobody');

/**
 * The observer of a request that is audited and not traced. It goes with the work of the request, which flow control
 * made.
 */
class AttachedObserver implements WorkObserver {
  readonly audit: RequestAudit | undefined;
  readonly span = undefined;
  readonly auditId: string;

  constructor({ audit, auditId }: WorkObserver) {
    this.audit = audit;
    this.auditId = auditId;
  }
}

/** Does work, and all that it calls or awaits, with an observer. */
export function observed<R>(observer: WorkObserver, work: () => R): R {
  const isAttached =
    observer.span === undefined && observers.getStore() === undefined && attachToWork(new AttachedObserver(observer));
  return isAttached ? work() : observers.run(observer, work);
}

/** Does work that belongs to no request, although one may have begun it. */
export function unobserved<R>(work: () => R): R {
  return observers.run(NOBODY, work);
}

/** The observer of the work that goes on now. Undefined for a request that is neither audited nor traced. */
export function workObserver(): WorkObserver | undefined {
  const observer = observers.getStore();
  if (observer === NOBODY) return undefined;
  if (observer !== undefined) return observer;
  const attached = workAttachment();
  return attached instanceof AttachedObserver ? attached : undefined;
}

/**
 * The span of the work that goes on now, if it is traced. Upstream: SpanFromContext of k8s.io/component-base/tracing
 */
export function currentSpan(): TraceSpan | undefined {
  const observer = observers.getStore();
  return observer === NOBODY ? undefined : observer?.span;
}

/** A part of traced work. */
export interface WorkPart {
  readonly name: string;
  /** Default: the work of the server itself. */
  readonly type?: SpanType;
  /** Called only if the work is traced. Default: none. */
  attributes?(auditId: string): TraceAttributes;
}

/**
 * Does a part of the work as a span of its own, if the work is traced. The span ends with it.
 * Upstream: Start of k8s.io/component-base/tracing
 */
export function inSpan<R>(part: WorkPart, work: (span: TraceSpan | undefined) => Promise<R>): Promise<R> {
  const observer = workObserver();
  return observer?.span === undefined ? work(undefined) : inChild(observer, observer.span, part, work);
}

async function inChild<R>(
  observer: WorkObserver,
  parent: TraceSpan,
  { name, type, attributes }: WorkPart,
  work: (span: TraceSpan) => Promise<R>,
): Promise<R> {
  const span = parent.start(name, attributes?.(observer.auditId), type);
  try {
    return await observers.run({ ...observer, span }, () => work(span));
  } finally {
    span.end();
  }
}

/** Adds the duration of work to the audit event of its request, if there is one. */
export function timed<R>(layer: AuditedLayer, work: () => Promise<R>): Promise<R> {
  const audit = workObserver()?.audit;
  return audit === undefined ? work() : timedBy(audit, layer, work);
}

async function timedBy<R>(audit: RequestAudit, layer: AuditedLayer, work: () => Promise<R>): Promise<R> {
  const begun = performance.now();
  try {
    return await work();
  } finally {
    audit.spend(layer, performance.now() - begun);
  }
}
