# Any image with Node 26 and npm; the runtime stage needs Node only.
ARG NODE_IMAGE=node:26-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tools/build.ts tools/bundle.ts tools/node.sh tools/third-party.ts tools/
COPY src src
# What is left afterwards is what the bundle loads at run time; the Node of the optional packages is for machines without
# one, and of SQLite only the build for this machine is loaded.
RUN npm run build && npm prune --omit=dev --omit=optional \
 && cd node_modules/better-sqlite3 && rm -r deps src \
 && find prebuilds -type f ! -name "linux*-$(node -p process.arch).node" -delete \
 && find .. -type d -empty -delete

FROM ${NODE_IMAGE}
LABEL org.opencontainers.image.title="tenantwatch" \
      org.opencontainers.image.description="Mirrors a tenant's public API, evaluates checks over it and exposes findings as Prometheus metrics" \
      org.opencontainers.image.licenses="MIT"
WORKDIR /app
COPY --from=build /build/node_modules node_modules
COPY --from=build /build/dist dist
COPY package.json LICENSE ./
COPY config config
COPY drizzle drizzle
COPY docs/alerts.md docs/checks.md docs/
# A small young generation takes some 100 MB off the peak memory of a large full sync.
RUN printf '#!/bin/sh\nexec node --max-semi-space-size=4 /app/dist/tenantwatch.js "$@"\n' > /usr/local/bin/tenantwatch \
 && chmod 0755 /usr/local/bin/tenantwatch
# The one place that is written to; everything else may be mounted read-only.
RUN mkdir -m 0700 /data && chown 65532:65532 /data
VOLUME /data
# Relative paths begin here: data/tenantwatch.db, the default of store.path, is in the volume.
WORKDIR /
ENV NODE_ENV=production \
    TENANTWATCH_LISTEN=:9469
USER 65532:65532
EXPOSE 9469
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD ["node", "/app/config/health-check.mjs"]
ENTRYPOINT ["tenantwatch"]
CMD ["run"]
