/** How traffic is kept close; deprecated. Upstream: DeprecatedAnnotationTopologyAwareHints */
export const TOPOLOGY_HINTS = 'service.kubernetes.io/topology-aware-hints';
/** How traffic is kept close. Upstream: AnnotationTopologyMode */
export const TOPOLOGY_MODE = 'service.kubernetes.io/topology-mode';
/** Networks that may reach the load balancer, divided by commas. Upstream: AnnotationLoadBalancerSourceRangesKey */
export const LOAD_BALANCER_SOURCE_RANGES = 'service.beta.kubernetes.io/load-balancer-source-ranges';
