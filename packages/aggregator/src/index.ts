/** The head of the server chain: APIServices, and discovery over all servers. */
export { type Aggregator, type AggregatorConfig, newAggregator } from './server/aggregator.js';
