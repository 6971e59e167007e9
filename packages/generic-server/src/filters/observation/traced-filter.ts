import type { Exchange, Filter, Tracer } from '@apiserver/apiserver-contracts';

/**
 * A filter whose work, and that of all filters within it, is a span. Upstream's name of it may differ from ours.
 * Upstream: TrackStarted of k8s.io/apiserver/pkg/endpoints/filterlatency
 */
export function tracedFilter(filter: Filter, spanName: string = filter.name): Filter {
  return tracedBy(filter, ({ context }) => context.span?.start(spanName, {}, 'filter'));
}

/** The same for authentication, which decides whose trace the request belongs to: its span begins one of its own. */
export function tracedAuthentication(filter: Filter, tracer: Tracer): Filter {
  return tracedBy(filter, () => tracer.startFilter(filter.name));
}

type StartSpan = (exchange: Exchange) => Exchange['context']['span'];

function tracedBy({ name, wrap }: Filter, start: StartSpan): Filter {
  return {
    name,
    wrap: (next) => {
      const handle = wrap(next);
      return (exchange) => {
        const span = start(exchange);
        exchange.context.span = span;
        exchange.onFinished(() => span?.end());
        return handle(exchange);
      };
    },
  };
}
