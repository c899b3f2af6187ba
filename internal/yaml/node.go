package yaml

import "go.yaml.in/yaml/v3"

// Node is a node of a parsed document, with its line and column.
type Node = yaml.Node

// The kinds of nodes.
const (
	MappingNode  = yaml.MappingNode
	SequenceNode = yaml.SequenceNode
	ScalarNode   = yaml.ScalarNode
	AliasNode    = yaml.AliasNode
)
