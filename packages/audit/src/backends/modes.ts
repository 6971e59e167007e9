import type { AuditRecord } from '../event/audit-record.js';
import type { AuditBackend } from './audit-backend.js';

/** The ways in which requests and a backend wait for each other, in upstream's order. */
export const AUDIT_MODES = ['batch', 'blocking', 'blocking-strict'] as const;

/** Waits for the delivery, but not for its success. Upstream: ignoreErrorsBackend of pkg/server/options */
export function ignoringErrors(backend: AuditBackend): AuditBackend {
  return {
    name: `ignoreErrors<${backend.name}>`,
    isStrict: false,
    process: (records) => {
      const processed = backend.process(records);
      return processed instanceof Promise ? processed.then(() => true) : true;
    },
    [Symbol.asyncDispose]: () => backend[Symbol.asyncDispose](),
  };
}

/** Sends events to several backends. Upstream: Union of k8s.io/apiserver/pkg/audit */
export function unionBackend(backends: readonly AuditBackend[]): AuditBackend | undefined {
  const [only] = backends;
  if (backends.length <= 1) return only;
  return {
    name: `union[${backends.map(({ name }) => name).join(',')}]`,
    isStrict: backends.some(({ isStrict }) => isStrict),
    process: (records: readonly AuditRecord[]) => {
      const processed = backends.map((backend) => backend.process(records));
      if (!processed.some((result) => result instanceof Promise)) return !processed.includes(false);
      return Promise.all(processed).then((results) => !results.includes(false));
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(backends.map((backend) => backend[Symbol.asyncDispose]()));
    },
  };
}
