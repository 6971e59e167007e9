import { createHash } from 'node:crypto';

/**
 * The hash of a flow, 64 bits: the same on every server.
 * Upstream: hashFlowID of k8s.io/apiserver/pkg/util/flowcontrol/apf_controller.go
 */
export function flowHash(schema: string, distinguisher: string): bigint {
  return createHash('sha256').update(`${schema}\u0000${distinguisher}`).digest().readBigUInt64LE(0);
}
