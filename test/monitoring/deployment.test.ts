import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { catalogue } from '../../src/commands/support/configuration.ts'
import { loadSettings } from '../../src/config/load-settings.ts'

interface Resource {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata?: { readonly name: string }
  // The rest differs from kind to kind.
  readonly [key: string]: unknown
}

const root = join(import.meta.dirname, '../..')
const textOf = (path: string) => readFileSync(join(root, path), 'utf8')
const resource = (name: string) => parse(textOf(`deploy/kubernetes/${name}`)) as Resource

it('lists every manifest in the kustomization, each with a kind and a name', () => {
  const { resources, configMapGenerator } = resource('kustomization.yaml') as unknown as {
    resources: string[]
    configMapGenerator: { files: string[] }[]
  }
  const files = readdirSync(join(root, 'deploy/kubernetes')).filter((name) => name !== 'kustomization.yaml')
  expect([...resources, ...configMapGenerator.flatMap((one) => one.files)].toSorted()).toEqual(files.toSorted())
  for (const name of resources) {
    const { apiVersion, kind, metadata } = resource(name)
    expect(apiVersion).toMatch(/^([a-z.0-9]+\/)?v\d/)
    expect(kind).toMatch(/^[A-Z]\w+$/)
    expect(metadata?.name).toBe('tenantwatch')
  }
})

it('ships a configuration for Kubernetes that loads', () => {
  const text = textOf('deploy/kubernetes/tenantwatch.yaml')
  const { settings } = loadSettings({ file: 'a.yaml', env: {}, catalogue, exists: () => true, readFile: () => text })
  expect(settings.server.port).toBe(9469)
})

it('runs as the user of the image, with nothing it may write but the data and with probes that need no password', () => {
  const uid = Number(/^USER (\d+):/m.exec(textOf('Dockerfile'))?.[1])
  const { template, replicas } = resource('stateful-set.yaml')['spec'] as {
    replicas: number
    template: { spec: { securityContext: object; containers: Record<string, { httpGet?: { path: string } }>[] } }
  }
  expect(replicas).toBe(1)
  expect(template.spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: uid, fsGroup: uid })
  const [container] = template.spec.containers
  expect(container?.['securityContext']).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  })
  const probes = ['startupProbe', 'livenessProbe', 'readinessProbe'].map((name) => container?.[name]?.httpGet?.path)
  expect(probes).toEqual(['/healthz', '/healthz', '/readyz'])
})

it('copies all parts of the build into the image', () => {
  const parts = new Set(['tools/build.ts'])
  for (const path of parts) {
    const text = textOf(path)
    for (const [, name] of text.matchAll(/from '\.\/([^']+)'/g)) parts.add(`tools/${name}`)
    for (const [, name = ''] of text.matchAll(/'(tools\/[^']+)'/g)) parts.add(name)
  }
  expect(parts.size).toBeGreaterThan(1)
  const copied = new Set(/^COPY (tools\/.*) tools\/$/m.exec(textOf('Dockerfile'))?.[1]?.split(' '))
  const sent = new Set(textOf('.dockerignore').split('\n'))
  expect([...parts].filter((path) => !copied.has(path) || !sent.has(`!${path}`))).toEqual([])
})

it('mounts only existing files into the containers of the composition', () => {
  const { services } = parse(textOf('compose.yaml'), { merge: true }) as {
    services: Record<string, { volumes?: string[] }>
  }
  const mounted = Object.values(services).flatMap(({ volumes = [] }) => volumes.filter((one) => one.startsWith('.')))
  expect(mounted.length).toBeGreaterThan(5)
  expect(mounted.filter((mount) => !existsSync(join(root, mount.split(':')[0] ?? '')))).toEqual([])
})

it('names the programs of the composition with their versions, and each by the name under which the others look for it', () => {
  const { services } = parse(textOf('compose.yaml'), { merge: true }) as {
    services: Record<string, { image: string; volumes?: string[] }>
  }
  const images = Object.values(services).map(({ image }) => image)
  expect(images.filter((image) => image !== 'tenantwatch' && !/:v?\d+\.\d+\.\d+$/.test(image))).toEqual([])
  const scraping = textOf('deploy/compose/prometheus.yml')
  const grafana = ['datasource', 'dashboards'].map((name) => textOf(`deploy/compose/grafana/${name}.yaml`)).join('')
  const hosts = [...`${scraping}${grafana}`.matchAll(/(?:\["|http:\/\/)([a-z]+):\d+/g)].map(([, host]) => host)
  expect(hosts).toEqual(['alertmanager', 'tenantwatch', 'prometheus'])
  expect(hosts.filter((host) => !services[host ?? ''])).toEqual([])
  const path = /path: ([^ }]+)/.exec(grafana)?.[1]
  expect(services['grafana']?.volumes).toContain(`./config/grafana:${path}:ro`)
})

it('keeps labels of ours that the operator has a name for, and other pods of the namespace out of our policy', () => {
  const monitor = resource('service-monitor.yaml')['spec'] as { endpoints: { honorLabels?: boolean }[] }
  expect(monitor.endpoints.map(({ honorLabels }) => honorLabels)).toEqual([true])
  const { podSelector } = resource('network-policy.yaml')['spec'] as { podSelector: object }
  expect(podSelector).toEqual({ matchLabels: { 'app.kubernetes.io/name': 'tenantwatch' } })
})

it('hardens the unit', () => {
  const unit = textOf('deploy/systemd/tenantwatch.service')
  for (const line of ['DynamicUser=yes', 'ProtectSystem=strict', 'NoNewPrivileges=yes', 'CapabilityBoundingSet='])
    expect(unit.split('\n')).toContain(line)
  expect(unit).not.toContain('MemoryDenyWriteExecute=yes')
})
