/** The routing preference for nearby endpoints; deprecated. Upstream: DeprecatedAnnotationTopologyAwareHints */
export const TOPOLOGY_HINTS = 'service.kubernetes.io/topology-aware-hints';
/** The routing preference for nearby endpoints. Upstream: AnnotationTopologyMode */
export const TOPOLOGY_MODE = 'service.kubernetes.io/topology-mode';
/** Networks that may access the load balancer, separated by commas. Upstream: AnnotationLoadBalancerSourceRangesKey */
export const LOAD_BALANCER_SOURCE_RANGES = 'service.beta.kubernetes.io/load-balancer-source-ranges';
