/**
 * Maximum cost of one evaluation of an expression in Kubernetes, whatever it is for.
 * Upstream: PerCallLimit of k8s.io/apiserver/pkg/apis/cel/config.go
 */
export const MAX_CALL_COST = 1_000_000;
