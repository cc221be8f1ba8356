FROM node:24-trixie-slim AS build
WORKDIR /src
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN mkdir /pack && npm pack --pack-destination /pack
WORKDIR /app
# openapi-typescript and typescript make typed clients, for DOC-06 and verify; the others push metrics of load.
RUN npm install --omit=dev --ignore-scripts --no-audit --no-fund /pack/*.tgz openapi-typescript@7 typescript@5 \
      @opentelemetry/sdk-metrics@2 @opentelemetry/resources@2 @opentelemetry/exporter-metrics-otlp-proto@0.223

FROM node:24-trixie-slim
LABEL org.opencontainers.image.title="dealership-conformance" \
      org.opencontainers.image.source="https://github.com/dealership-conformance/dealership-conformance" \
      org.opencontainers.image.licenses="MIT"
COPY --from=build /app /app
WORKDIR /work
# For scripts in a container: the command by its name.
ENV PATH=/app/node_modules/.bin:$PATH
# For any user that a cluster chooses.
RUN chmod 1777 /work
USER 1000
ENTRYPOINT ["node", "/app/node_modules/dealership-conformance/dist/src/cli/main.js"]
CMD ["--help"]
