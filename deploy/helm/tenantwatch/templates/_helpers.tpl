{{- define "tenantwatch.fullname" -}}
{{- ternary .Release.Name (printf "%s-tenantwatch" .Release.Name) (contains "tenantwatch" .Release.Name) | trunc 45 | trimSuffix "-" }}
{{- end }}

{{- define "tenantwatch.selector" -}}
app.kubernetes.io/name: tenantwatch
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "tenantwatch.labels" -}}
{{ include "tenantwatch.selector" . }}
{{ include "tenantwatch.chart" . }}
{{- end }}

{{- define "tenantwatch.chart" -}}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "tenantwatch.image" -}}
{{- with .Values.image -}}
{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end }}
{{- end }}

{{- /* The same for the daemon and the backup. */}}
{{- define "tenantwatch.container" -}}
image: {{ include "tenantwatch.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
env:
  - { name: TENANTWATCH_CONFIG, value: /etc/tenantwatch/tenantwatch.yaml }
  {{- with .Values.env }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
resources:
  {{- toYaml .Values.resources | nindent 2 }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end }}

{{- define "tenantwatch.pod" -}}
automountServiceAccountToken: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  {{- toYaml .Values.podSecurityContext | nindent 2 }}
{{- end }}

{{- define "tenantwatch.config" -}}
{{- $name := include "tenantwatch.fullname" . }}
{{- $service := printf "%s.%s" $name .Release.Namespace }}
{{- $hosts := list $name $service (printf "%s.svc" $service) (printf "%s.svc.cluster.local" $service) }}
{{- $_ := .Values.config.tenants | required "config.tenants is missing: see config in values.yaml" }}
{{- $config := deepCopy .Values.config }}
{{- $server := deepCopy ($config.server | default dict) }}
{{- $_ := set $server "allowedHosts" (concat $hosts ($server.allowedHosts | default list)) }}
{{- $_ := set $config "server" $server }}
{{- if .Values.databaseSecret }}
{{- $_ := set $config "store" (dict "url" (dict "file" "/run/secrets/database/url")) }}
{{- end }}
{{- toYaml $config }}
{{- end }}
