export { runWorkQueue, type WorkQueue, type WorkQueueOptions } from './run-work-queue.js';
export { createWorkQueueMetrics, noWorkQueueMetrics, type WorkQueueMetrics } from './work-queue-metrics.js';
