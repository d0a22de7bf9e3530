// SPDX-License-Identifier: Apache-2.0
//
// crdserver serves CustomResourceDefinitions and custom resources, and nothing
// else: the part of the Kubernetes API server that is a library of its own
// (k8s.io/apiextensions-apiserver), made to stand alone.  The stock program of
// that library expects a complete API server in front of it, to which it leaves
// authentication, authorization and the list of groups at /apis.
//
// Client certificates authenticate; members of the group system:masters may do
// everything and nobody else anything.  Namespaces need not exist, and there is
// no admission.
package main

import (
	"errors"
	"flag"
	"fmt"
	"net"
	"net/url"
	"os"
	"sort"

	"go.opentelemetry.io/otel/trace/noop"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver"
	"k8s.io/apiextensions-apiserver/pkg/cmd/server/options"
	generatedopenapi "k8s.io/apiextensions-apiserver/pkg/generated/openapi"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/version"
	openapinamer "k8s.io/apiserver/pkg/endpoints/openapi"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/util/openapi"
	"k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/cache"
)

var (
	etcd     = flag.String("etcd", "", "URL of etcd")
	port     = flag.Int("port", 0, "port to serve on, at 127.0.0.1")
	certFile = flag.String("cert", "", "file of the server's certificate")
	keyFile  = flag.String("key", "", "file of the server's key")
	clientCA = flag.String("client-ca", "", "file of the authority that signs client certificates")
)

func main() {
	flag.Parse()
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	o := options.NewCustomResourceDefinitionsServerOptions(os.Stdout, os.Stderr)
	r := o.RecommendedOptions
	r.Etcd.StorageConfig.Transport.ServerList = []string{*etcd}
	r.SecureServing.BindAddress = net.IPv4(127, 0, 0, 1)
	r.SecureServing.BindPort = *port
	r.SecureServing.ServerCert.CertKey.CertFile = *certFile
	r.SecureServing.ServerCert.CertKey.KeyFile = *keyFile
	r.Authentication.ClientCert.ClientCA = *clientCA
	// There is no other API server to ask about users or for core objects.
	r.Authentication.SkipInClusterLookup = true
	r.Authentication.RemoteKubeConfigFileOptional = true
	r.Authorization.RemoteKubeConfigFileOptional = true
	r.CoreAPI, r.Admission = nil, nil
	r.Features.EnablePriorityAndFairness = false
	if err := o.Complete(); err != nil {
		return err
	}

	config := genericapiserver.NewRecommendedConfig(apiserver.Codecs)
	if err := o.ServerRunOptions.ApplyTo(&config.Config); err != nil {
		return err
	}
	if err := r.ApplyTo(config); err != nil {
		return err
	}
	if err := o.APIEnablement.ApplyTo(&config.Config, apiserver.DefaultAPIResourceConfigSource(), apiserver.Scheme); err != nil {
		return err
	}
	definitions := openapi.GetOpenAPIDefinitionsWithoutDisabledFeatures(generatedopenapi.GetOpenAPIDefinitions)
	namer := openapinamer.NewDefinitionNamer(apiserver.Scheme, scheme.Scheme)
	config.OpenAPIConfig = genericapiserver.DefaultOpenAPIConfig(definitions, namer)
	config.OpenAPIV3Config = genericapiserver.DefaultOpenAPIV3Config(definitions, namer)

	completed := (&apiserver.Config{
		GenericConfig: config,
		ExtraConfig: apiserver.ExtraConfig{
			CRDRESTOptionsGetter: options.NewCRDRESTOptionsGetter(*r.Etcd, config.ResourceTransformers, config.StorageObjectCountTracker),
			MasterCount:          1,
			ServiceResolver:      noServices{},
			AuthResolverWrapper:  webhook.NewDefaultAuthenticationInfoResolverWrapper(nil, nil, config.LoopbackClientConfig, noop.NewTracerProvider()),
		},
	}).Complete()
	completed.GenericConfig.EnableDiscovery = true // serve /apis
	server, err := completed.New(genericapiserver.NewEmptyDelegate())
	if err != nil {
		return err
	}
	if err := publishGroups(server); err != nil {
		return err
	}
	return server.GenericAPIServer.PrepareRun().RunWithContext(genericapiserver.SetupSignalContext())
}

// publishGroups keeps the groups of the custom resources in the list at /apis,
// into which the server itself puts only its own group.  (The aggregated form
// of that list it does keep complete.)
func publishGroups(server *apiserver.CustomResourceDefinitions) error {
	crds := server.Informers.Apiextensions().V1().CustomResourceDefinitions()
	manager := server.GenericAPIServer.DiscoveryGroupManager
	update := func(obj any) {
		if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
			obj = tombstone.Obj
		}
		crd, ok := obj.(*apiextensionsv1.CustomResourceDefinition)
		if !ok {
			return
		}
		all, err := crds.Lister().List(labels.Everything())
		if err != nil {
			return
		}
		group := groupOf(crd.Spec.Group, all)
		if len(group.Versions) == 0 {
			manager.RemoveGroup(group.Name)
		} else {
			manager.AddGroup(group)
		}
	}
	_, err := crds.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    update,
		UpdateFunc: func(_, obj any) { update(obj) },
		DeleteFunc: update,
	})
	return err
}

// groupOf describes the group called name, whose versions are those that the
// established definitions among crds serve, the preferred one first.
func groupOf(name string, crds []*apiextensionsv1.CustomResourceDefinition) metav1.APIGroup {
	group := metav1.APIGroup{Name: name}
	seen := map[string]bool{}
	for _, crd := range crds {
		if crd.Spec.Group != name || !established(crd) {
			continue
		}
		for _, v := range crd.Spec.Versions {
			if v.Served && !seen[v.Name] {
				seen[v.Name] = true
				group.Versions = append(group.Versions, metav1.GroupVersionForDiscovery{
					GroupVersion: name + "/" + v.Name,
					Version:      v.Name,
				})
			}
		}
	}
	sort.Slice(group.Versions, func(i, j int) bool {
		return version.CompareKubeAwareVersionStrings(group.Versions[i].Version, group.Versions[j].Version) > 0
	})
	if len(group.Versions) > 0 {
		group.PreferredVersion = group.Versions[0]
	}
	return group
}

func established(crd *apiextensionsv1.CustomResourceDefinition) bool {
	for _, c := range crd.Status.Conditions {
		if c.Type == apiextensionsv1.Established {
			return c.Status == apiextensionsv1.ConditionTrue
		}
	}
	return false
}

// noServices resolves no service: conversion webhooks are reached by URL.
type noServices struct{}

func (noServices) ResolveEndpoint(string, string, int32) (*url.URL, error) {
	return nil, errors.New("there are no services here: give the webhook a url")
}
