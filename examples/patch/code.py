one
def f (x):
three
	return x
