import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import manifest from '../../package.json' with { type: 'json' }
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
const resource = (name: string, folder = 'kubernetes') => parse(textOf(`deploy/${folder}/${name}`)) as Resource

it('replaces a pod that a mistake in the configuration keeps from being ready', () => {
  expect(resource('stateful-set.yaml')['spec']).toMatchObject({ podManagementPolicy: 'Parallel' })
})

it('packages the chart with the shipped rules and dashboards, in the version of the program', () => {
  const chart = join(root, 'deploy/helm/tenantwatch')
  const { version, appVersion } = parse(textOf('deploy/helm/tenantwatch/Chart.yaml'))
  expect([version, appVersion]).toEqual([manifest.version, manifest.version])
  for (const [name, shipped] of [
    ['rules.yml', 'config/prometheus/rules.yml'],
    ['dashboards', 'config/grafana'],
  ] as const)
    expect(realpathSync(join(chart, 'files', name))).toBe(realpathSync(join(root, shipped)))
  // npm leaves out symbolic links: a chart in its package would have no rules.
  expect(manifest.files).toContain('!deploy/helm')
})

const image = textOf('Dockerfile')

/** Where a path leads that begins in the working directory of the image. */
const inImage = (path: string | null) =>
  path && resolve([...image.matchAll(/^WORKDIR (.*)$/gm)].at(-1)?.[1] ?? '', path)

function settingsOf(path: string, env: Readonly<Record<string, string>> = {}) {
  const text = textOf(path)
  const variables = { TENANTWATCH_LISTEN: '0.0.0.0:9469', ...env }
  const loaded = loadSettings({ file: 'a.yaml', env: variables, catalogue, text, purpose: 'syntax' })
  expect([loaded.settings.server.port, loaded.ignored]).toEqual([9469, []])
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
  readonly environment?: Readonly<Record<string, string>>
  readonly configs?: unknown
  readonly secrets?: readonly string[]
  readonly volumes?: readonly string[]
  readonly [key: string]: unknown
}

function composition(file: string) {
  return parse(textOf(file), { merge: true }) as {
    readonly services: Readonly<Record<string, Composed>>
    readonly secrets?: Readonly<Record<string, { readonly file: string }>>
  }
}

const [real, demo] = [composition('compose.yaml'), composition('compose.demo.yaml')]

const secrets = './deploy/compose/secrets/tenantwatch:/etc/tenantwatch:ro'

it('mounts only existing files into the containers of the composition, but for what the operator writes', () => {
  // A folder, because the configuration names files of secrets beside it.
  expect(real.services['alertmanager']?.volumes).toContain(
    '$' + '{ALERTMANAGER_FOLDER:-./config/alertmanager}:/etc/alertmanager:ro',
  )
  const mounts = [real, demo].flatMap(({ services }) => Object.values(services).flatMap(({ volumes = [] }) => volumes))
  const files = mounts.filter((one) => one.startsWith('.') && one !== secrets)
  expect(files.length).toBeGreaterThan(5)
  expect(files.filter((mount) => !existsSync(join(root, mount.split(':')[0] ?? '')))).toEqual([])
})

it('composes services that can start with a read-only root, within limits: docker refuses inline configs and secrets there', () => {
  for (const { services, secrets = {} } of [real, demo])
    for (const [name, service] of Object.entries(services)) {
      if (services === demo.services && name in real.services) continue
      const { configs, secrets: used = [] } = service
      const limits = { mem_limit: expect.stringMatching(/^\d+[mg]$/), pids_limit: 200 }
      const hardened = { read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] }
      expect([name, configs, service]).toEqual([name, undefined, expect.objectContaining({ ...hardened, ...limits })])
      for (const secret of used) expect(secrets[secret]?.file).toMatch(/^deploy\/compose\/secrets\/\w+$/)
    }
  expect(textOf('.gitignore').split('\n')).toContain('deploy/compose/secrets/')
})
