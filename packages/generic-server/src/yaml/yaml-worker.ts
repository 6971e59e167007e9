// Runs in the threads of YamlWorkers. The bundle has it as a file of its own.
import { parentPort } from 'node:worker_threads';
import { yamlToJsonText } from '@apiserver/apimachinery/codec/yaml';
import { isDecodeError } from '@apiserver/apimachinery/errors';
import type { YamlJob, YamlJobResult } from './yaml-job.js';

parentPort?.on('message', ({ yaml, maxValues }: YamlJob) => {
  try {
    const text = yamlToJsonText(yaml, maxValues);
    response({ text }, text && [text.json.buffer]);
  } catch (error) {
    if (!isDecodeError(error)) throw error;
    response({ fault: { reason: error.reason, message: error.message } });
  }
});

// Jobs may be sent from now on.
parentPort?.postMessage('online');

function response(result: YamlJobResult, transferred: ArrayBuffer[] = []): void {
  parentPort?.postMessage(result, transferred);
}
