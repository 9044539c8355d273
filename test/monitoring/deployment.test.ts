import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { catalogue } from '../../src/commands/support/configuration.ts'
import { loadSettings } from '../../src/config/load-settings.ts'
import { startSimulator } from '../../src/simulator/index.ts'

interface Resource {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata?: { readonly name: string }
  // The rest differs from kind to kind.
  readonly [key: string]: unknown
}

const root = join(import.meta.dirname, '../..')
const textOf = (path: string) => readFileSync(join(root, path), 'utf8')
const resource = (name: string, folder = 'kubernetes') => parse(textOf(`deploy/${folder}/${name}`)) as Resource

it.each(['kubernetes', 'kubernetes-postgresql'])(
  'lists every manifest of %s, each with a kind and a name',
  (folder) => {
    const { resources, configMapGenerator } = resource('kustomization.yaml', folder) as unknown as {
      resources: string[]
      configMapGenerator: { files: string[] }[]
    }
    const own = resources.filter((name) => name !== '../kubernetes')
    const files = readdirSync(join(root, 'deploy', folder)).filter((name) => name !== 'kustomization.yaml')
    expect([...own, ...configMapGenerator.flatMap((one) => one.files)].toSorted()).toEqual(files.toSorted())
    for (const name of own) {
      const { apiVersion, kind, metadata } = resource(name, folder)
      expect(apiVersion).toMatch(/^([a-z.0-9]+\/)?v\d/)
      expect(kind).toMatch(/^[A-Z]\w+$/)
      expect(metadata?.name).toBe('tenantwatch')
    }
  },
)

const image = textOf('Dockerfile')

/** Where a path leads that begins in the working directory of the image. */
const inImage = (path: string | null) =>
  path && resolve([...image.matchAll(/^WORKDIR (.*)$/gm)].at(-1)?.[1] ?? '', path)

function settingsOf(path: string, env: Readonly<Record<string, string>> = {}) {
  const text = textOf(path)
  const variables = { TENANTWATCH_LISTEN: '0.0.0.0:9469', ...env }
  const loaded = loadSettings({ file: 'a.yaml', env: variables, catalogue, exists: () => true, readFile: () => text })
  expect([loaded.settings.server.port, loaded.ignoredPath]).toEqual([9469, null])
  return loaded.settings
}

interface Container {
  readonly env: readonly { readonly name: string; readonly value: string }[]
  readonly securityContext: object
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string; readonly readOnly?: boolean }[]
  readonly [probe: string]: { readonly httpGet?: { readonly path: string } } | unknown
}

interface Pods {
  readonly replicas: number
  readonly strategy?: object
  readonly template: {
    readonly spec: {
      readonly securityContext: object
      readonly containers: readonly [Container]
      readonly terminationGracePeriodSeconds: number
      readonly volumes: readonly { readonly name: string; readonly emptyDir?: object }[]
    }
  }
}

const pods = (name: string, folder?: string) => resource(name, folder)['spec'] as Pods
const variables = ({ env }: Container) => Object.fromEntries(env.map(({ name, value }) => [name, value]))

it('keeps the mirror of the StatefulSet in its volume, and that of the Deployment in the database of a secret', () => {
  const [embedded] = pods('stateful-set.yaml').template.spec.containers
  const { path } = settingsOf('deploy/kubernetes/tenantwatch.yaml', variables(embedded)).store
  expect(inImage(path)).toBe('/data/tenantwatch.db')
  const [replica] = pods('deployment.yaml', 'kubernetes-postgresql').template.spec.containers
  const { store } = settingsOf('deploy/kubernetes-postgresql/tenantwatch.yaml', variables(replica))
  const mount = replica.volumeMounts.find(({ name }) => name === 'database')
  expect(store).toEqual({ path: null, url: { file: `${mount?.mountPath}/url` } })
})

it.each([
  ['stateful-set.yaml', 'kubernetes', ['/data', '/tmp']],
  ['deployment.yaml', 'kubernetes-postgresql', ['/tmp']],
])(
  'runs %s as the user of the image, writes nothing but %s %s, and has probes that need no password',
  (name, folder, writable) => {
    const uid = Number(/^USER (\d+):/m.exec(textOf('Dockerfile'))?.[1])
    const { spec } = pods(name, folder).template
    expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: uid, fsGroup: uid })
    const [container] = spec.containers
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    const probes = ['startupProbe', 'livenessProbe', 'readinessProbe']
    expect(probes.map((probe) => (container[probe] as { httpGet?: { path: string } }).httpGet?.path)).toEqual([
      '/healthz',
      '/healthz',
      '/readyz',
    ])
    const mounted = container.volumeMounts.filter(({ readOnly }) => readOnly !== true).map(({ mountPath }) => mountPath)
    expect(mounted).toEqual(writable)
  },
)

it('answers under every name that a service of Kubernetes has', () => {
  for (const folder of ['kubernetes', 'kubernetes-postgresql']) {
    const { allowedHosts } = settingsOf(`deploy/${folder}/tenantwatch.yaml`).server
    const names = ['tenantwatch', 'tenantwatch.tenantwatch', 'tenantwatch.tenantwatch.svc']
    expect(allowedHosts).toEqual([...names, 'tenantwatch.tenantwatch.svc.cluster.local'])
  }
})

it('names the memory that own checks take on top of the limits', () => {
  for (const name of ['kubernetes/stateful-set.yaml', 'kubernetes-postgresql/deployment.yaml']) {
    const needed = /# With own checks (\d+)Mi/.exec(textOf(`deploy/${name}`))?.[1]
    expect(Number(needed)).toBeGreaterThan(512)
    for (const page of ['operations', 'own-checks']) expect(textOf(`docs/${page}.md`)).toContain(`${needed} MiB`)
  }
})

it('has one pod for a file, and for a database several that are replaced one after the other', () => {
  expect(pods('stateful-set.yaml').replicas).toBe(1)
  const { replicas, strategy, template } = pods('deployment.yaml', 'kubernetes-postgresql')
  expect(replicas).toBeGreaterThan(1)
  expect(strategy).toEqual({ type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } })
  // Longer than the wait of preStop and the five seconds in which SIGTERM ends the program.
  expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThan(3 + 5)
})

it('copies all parts of the build into the image', () => {
  const parts = new Set(['tools/build.ts', 'tools/node.sh'])
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

interface Composed {
  readonly image: string
  readonly read_only: boolean
  readonly environment?: Readonly<Record<string, string>>
  readonly configs?: unknown
  readonly secrets?: readonly string[]
  readonly volumes?: readonly string[]
  readonly profiles?: readonly string[]
  readonly networks?: { readonly default: { readonly aliases: readonly string[] } }
  readonly ports?: readonly string[]
}

function composition() {
  return parse(textOf('compose.yaml'), { merge: true }) as {
    readonly services: Readonly<Record<string, Composed>>
    readonly secrets: Readonly<Record<string, { readonly file: string }>>
  }
}

it('mounts only existing files into the containers of the composition', () => {
  const { services } = composition()
  const mounted = Object.values(services).flatMap(({ volumes = [] }) => volumes.filter((one) => one.startsWith('.')))
  expect(mounted.length).toBeGreaterThan(5)
  expect(mounted.filter((mount) => !existsSync(join(root, mount.split(':')[0] ?? '')))).toEqual([])
})

it('names the programs of the composition with their versions, and each by the name under which the others look for it', () => {
  const { services } = composition()
  const images = Object.values(services).map(({ image }) => image)
  expect(images.filter((image) => image !== 'tenantwatch' && !/:v?\d+\.\d+(\.\d+)?$/.test(image))).toEqual([])
  const scraping = textOf('deploy/compose/prometheus.yml')
  const grafana = ['datasource', 'dashboards'].map((name) => textOf(`deploy/compose/grafana/${name}.yaml`)).join('')
  const hosts = [...`${scraping}${grafana}`.matchAll(/(?:\["|http:\/\/)([a-z]+):\d+/g)].map(([, host]) => host)
  expect(hosts).toEqual(['alertmanager', 'tenantwatch', 'prometheus'])
  expect(hosts.filter((host) => !services[host ?? ''])).toEqual([])
  const path = /path: ([^ }]+)/.exec(grafana)?.[1]
  const boards = services['grafana']?.volumes?.filter((mount) => mount.startsWith('./config/grafana'))
  // The dashboard of the records needs a data source that the composition has not.
  const shown = ['fleet', 'operations', 'posture']
  expect(boards).toEqual(shown.map((name) => `./config/grafana/${name}.json:${path}/${name}.json:ro`))
})

it('composes services that can start with a read-only root: docker refuses inline configs and secrets there', () => {
  const { services, secrets } = composition()
  for (const [name, { read_only, configs, secrets: used = [] }] of Object.entries(services)) {
    expect([name, read_only, configs]).toEqual([name, true, undefined])
    for (const secret of used) expect(secrets[secret]?.file).toMatch(/^deploy\/compose\/secrets\/\w+$/)
  }
  expect(textOf('.gitignore').split('\n')).toContain('deploy/compose/secrets/')
})

it('composes two replicas on one database, which Prometheus finds by their common name', () => {
  const { services } = composition()
  const replicas = ['replica-1', 'replica-2'].map((name) => services[name])
  const { scrape_configs: jobs } = parse(textOf('deploy/compose/prometheus.yml')) as {
    scrape_configs: { job_name: string; dns_sd_configs: { names: string[] }[] }[]
  }
  const [job] = jobs
  for (const replica of replicas) {
    expect(replica?.profiles).toEqual(services['postgres']?.profiles)
    expect(replica?.volumes).toEqual(['./deploy/compose/replicas.yaml:/etc/tenantwatch.yaml:ro'])
    expect(replica?.networks?.default.aliases).toEqual(job?.dns_sd_configs.flatMap(({ names }) => names))
    const { store, tenants } = settingsOf('deploy/compose/replicas.yaml', replica?.environment)
    expect(store).toEqual({ path: null, url: { file: `/run/secrets/${replica?.secrets?.[0]}` } })
    const embedded = settingsOf('deploy/compose/tenantwatch.yaml', services['tenantwatch']?.environment).tenants
    expect(tenants.filter(({ name }) => embedded.some((one) => one.name === name))).toEqual([])
  }
  const ports = Object.values(services).flatMap(({ ports = [] }) => ports)
  expect(new Set(ports).size).toBe(6)
  // The default ports of a simulator on the same machine.
  expect(ports.filter((port) => /:947[01]:/.test(port))).toEqual([])
})

it('names in its docs an object of kubectl exec that both kinds of workload have', () => {
  const { kind, metadata } = resource('service.yaml')
  const pages = ['operations.md', 'runbooks/README.md', 'runbooks/TenantwatchDown.md']
  for (const page of pages) {
    const targets = [...textOf(`docs/${page}`).matchAll(/\bexec\s+(\S+) -- tenantwatch/g)].map(([, target]) => target)
    expect([page, ...new Set(targets)]).toEqual([page, `${kind.toLowerCase()}/${metadata?.name}`])
  }
})

it('composes with tokens of the simulator', async () => {
  const simulator = await startSimulator({ controlPort: null })
  onTestFinished(() => simulator.close())
  const given = Object.values(composition().services).flatMap(({ environment = {} }) =>
    Object.entries(environment).flatMap(([name, value]) => (name.endsWith('_TOKEN') ? [value] : [])),
  )
  expect([...new Set(given)]).toEqual([simulator.tokens.reader, simulator.tokens.secondReader])
})

it('keeps labels of ours that the operator has a name for, and other pods of the namespace out of our policy', () => {
  const monitor = resource('service-monitor.yaml')['spec'] as { endpoints: { honorLabels?: boolean }[] }
  expect(monitor.endpoints.map(({ honorLabels }) => honorLabels)).toEqual([true])
  const { podSelector } = resource('network-policy.yaml')['spec'] as { podSelector: object }
  expect(podSelector).toEqual({ matchLabels: { 'app.kubernetes.io/name': 'tenantwatch' } })
})

it('hardens the unit', () => {
  const unit = textOf('deploy/systemd/tenantwatch.service')
  // A dynamic user would bring these with it.
  const withUser = ['PrivateTmp=yes', 'RemoveIPC=yes', 'RestrictSUIDSGID=yes', 'ProtectHome=yes']
  for (const line of ['ProtectSystem=strict', 'NoNewPrivileges=yes', 'CapabilityBoundingSet=', ...withUser])
    expect(unit.split('\n')).toContain(line)
  expect(unit).not.toContain('MemoryDenyWriteExecute=yes')
})

it('lets the unit read the files of tokens themselves, so that a rotated token needs no restart', () => {
  const unit = textOf('deploy/systemd/tenantwatch.service')
  // systemd copies a credential when the unit starts, and a reload does not copy it again.
  expect(unit).not.toMatch(/^(Load|Set|Import)Credential/m)
  expect(unit).toMatch(/^User=tenantwatch\nGroup=tenantwatch$/m)
  const steps = textOf('docs/operations.md')
  expect(steps).toContain('useradd --system')
  expect(/token: \{ file: ([^ ]+) \}/.exec(unit)?.[1]).toBe('/etc/tenantwatch/acme-token')
  expect(steps).toContain('install -o root -g tenantwatch -m 0640 acme-token /etc/tenantwatch/acme-token')
})

it('leaves the place of the mirror to the configuration: its default is in the volume, or in the state folder', () => {
  const unit = textOf('deploy/systemd/tenantwatch.service')
  for (const text of [image, unit]) expect(text).not.toContain('TENANTWATCH_STORE_')
  const path = settingsOf('deploy/kubernetes/tenantwatch.yaml').store.path ?? ''
  expect([inImage(path), /^VOLUME (.*)$/m.exec(image)?.[1]]).toEqual(['/data/tenantwatch.db', '/data'])
  expect(/^StateDirectory=(.*)$/m.exec(unit)?.[1]).toBe('tenantwatch')
  const folder = /^WorkingDirectory=(.*)$/m.exec(unit)?.[1] ?? ''
  expect(resolve(folder, path)).toBe('/var/lib/tenantwatch/data/tenantwatch.db')
})
