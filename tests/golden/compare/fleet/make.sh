# A reference of three templates, and six sites: one as it should be, three that drift alike, one that is
# far from the others, one that is broken.
mkdir -p reference sites made
cat >reference/metadata.yaml <<'X'
apiVersion: v2
parts:
- name: shop
  components:
  - name: web
    allOf:
    - path: web.yaml
    - path: secret.yaml
  - name: base
    allOf:
    - path: ns.yaml
X
cat >reference/web.yaml <<'X'
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
  labels:
    site: {{ .metadata.labels.site }}
spec:
  image: web:2.4
  replicas: 3
X
printf 'apiVersion: v1\nkind: Secret\nmetadata:\n  name: key\n  namespace: shop\ndata:\n  password: c2VjcmV0\n' >reference/secret.yaml
printf 'apiVersion: v1\nkind: Namespace\nmetadata:\n  name: shop\n' >reference/ns.yaml

# site NAME REPLICAS IMAGE PASSWORD
site() {
    mkdir -p "made/$1/deep"
    sed "s/{{.*}}/$1/; s/replicas: 3/replicas: $2/; s#image: .*#image: $3#" reference/web.yaml >"made/$1/web.yaml"
    sed "s/c2VjcmV0/$4/" reference/secret.yaml >"made/$1/secret.yaml"
    cp reference/ns.yaml "made/$1/deep"
    printf 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: notes, namespace: shop}\n' >"made/$1/notes.yaml"
}
site athens 3 web:2.4 c2VjcmV0
site berlin 3 web:2.5 c2VjcmV0
site cairo 3 web:2.5 c2VjcmV0
site dublin 5 "'=<b>\\\\n'" b3RoZXI=
site essen 3 web:2.5 b3Zlcg==
rm -r made/dublin/deep
echo 'kind: [' >made/dublin/broken.yaml
tar -C made -czf sites/athens.tar.gz athens
tar -C made -cf sites/berlin.tar berlin
tar -C made -czf sites/cairo.tgz cairo
cp -R made/dublin sites/dublin
tar -C made -czf sites/essen.tar.gz essen
head -c 60 sites/essen.tar.gz >sites/faulty.tar.gz
rm -r made
