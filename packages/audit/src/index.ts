/** Auditing: policy, events and backends. */
export type { AuditBackend } from './backends/audit-backend.js';
export type { AuditLevel, AuditStage } from './event/audit-event.js';
export type { AuditConfig, AuditDependencies } from './options/audit-config.js';
export { AuditOptions } from './options/audit-options.js';
export type { AuditAttributes } from './policy/audit-attributes.js';
export type { PolicyEvaluator, RequestAuditConfig } from './policy/policy-evaluator.js';
export { AuditedRequest, type AuditSink } from './request/audited-request.js';
