import { expect, it } from 'vitest';
import { StartupError } from '../process/index.js';
import { loadTracer } from './create-tracer.js';

it('names the packages that it needs, and the first line of what is wrong with those that are there', async () => {
  const cause = new SyntaxError(
    "'@opentelemetry/resources' has no export 'resourceFromAttributes'\n    at Module.link",
  );
  await expect(loadTracer(() => Promise.reject(cause))).rejects.toEqual(
    new StartupError(
      "--tracing-config-file needs the packages api, core, exporter-trace-otlp-grpc, resources and sdk-trace of @opentelemetry: '@opentelemetry/resources' has no export 'resourceFromAttributes'",
      { cause },
    ),
  );
});
